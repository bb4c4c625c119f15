import type { SecretsReport } from '../../contract/index.ts';

/**
 * Where secrets are kept. A refusal (`secrets_unavailable`) never changes or loses one; `has` answers also while the store is
 * locked, so that a flag does not turn false because nobody is there to unlock it.
 */
export interface SecretStore {
  has(name: string): boolean;
  get(name: string): Promise<string | undefined>;
  /** Stored before it resolves. Undefined removes it. */
  set(name: string, value: string | undefined): Promise<void>;
  report(): SecretsReport;
}
