export { type FoundTool, type SearchableTool, ToolIndex } from './tool-index.ts';
