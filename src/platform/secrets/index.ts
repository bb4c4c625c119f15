export { type Keyring, type OpenKeyringOptions, openKeyring } from './keyring.ts';
export type { SecretStore } from './model.ts';
export { hashPassword, verifyPassword } from './password.ts';
export { readOrCreateSecret, type SecretFileOptions } from './secret-file.ts';
export { openSecretStore, type SecretStoreOptions } from './secret-store.ts';
