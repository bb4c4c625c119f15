export { readOrCreateSecret, type SecretFileOptions } from './secret-file.ts';
