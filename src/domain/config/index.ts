export { type ConfigDirectoryLog, prepareConfigDirectory } from './config-directory.ts';
export { type ConfigDocument, type ConfigFiles, type ConfigFilesOptions, createConfigFiles } from './files.ts';
export {
  type ConfigLog,
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig,
  resolveLocalPort,
} from './load-config.ts';
export { type Config, configSchema, DEFAULT_CONFIG } from './model.ts';
export { type AiPrompt, createPromptService, type LibraryPrompt, type PromptService } from './prompts.ts';
export {
  type ConfigChange,
  type ConfigService,
  type ConfigServiceOptions,
  openConfigService,
  type SaveOptions,
} from './service.ts';
