/** Every row of the route table, described. A row that is missing here does not compile. */
import type { RouteId } from '../routes.ts';
import { accessRoutes } from './access.ts';
import { agentRoutes } from './agents.ts';
import { configRoutes } from './config.ts';
import { folderRoutes } from './folders.ts';
import { mcpRoutes } from './mcp.ts';
import type { RouteDescription } from './model.ts';
import { monitoringRoutes } from './monitoring.ts';
import { pageRoutes } from './pages.ts';
import { progressRoutes } from './progress.ts';
import { repositoryRoutes } from './repositories.ts';
import { serverRoutes } from './server.ts';
import { sessionRoutes } from './sessions.ts';
import { streamRoutes } from './streams.ts';
import { windowRoutes } from './windows.ts';

export const ROUTE_DESCRIPTIONS: Readonly<Record<RouteId, RouteDescription>> = {
  ...serverRoutes,
  ...sessionRoutes,
  ...streamRoutes,
  ...accessRoutes,
  ...windowRoutes,
  ...configRoutes,
  ...folderRoutes,
  ...agentRoutes,
  ...repositoryRoutes,
  ...progressRoutes,
  ...monitoringRoutes,
  ...mcpRoutes,
  ...pageRoutes,
};
