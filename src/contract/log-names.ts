/** Words of the logs, apart from their schemas: the command uses them and checks no schema. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `user`: a person should see it; `diagnostic`: for whoever looks into a problem. */
export const LOG_AUDIENCES = ['user', 'diagnostic'] as const;
export type LogAudience = (typeof LOG_AUDIENCES)[number];
