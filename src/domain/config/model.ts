/** The configuration as the domain knows it; its schema is part of the contract. */
import { type Config, configSchema } from '../../contract/index.ts';

export { type Config, configSchema };

export const DEFAULT_CONFIG: Config = configSchema.parse({});
