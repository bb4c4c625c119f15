export { type ConfigDirectoryLog, prepareConfigDirectory } from './config-directory.ts';
export { type ConfigLog, type LoadConfigOptions, loadConfig, resolveLocalPort } from './load-config.ts';
export { type Config, configSchema, DEFAULT_CONFIG } from './model.ts';
