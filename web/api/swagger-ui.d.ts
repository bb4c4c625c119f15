/** What this page uses of the package; it comes without types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** An immutable map of the library's own. */
  export interface SpecState {
    getIn(path: readonly string[]): unknown;
  }
  export interface System {
    specSelectors: { specJson(): SpecState };
  }
  export interface Plugin {
    statePlugins: {
      spec: {
        wrapSelectors: {
          allowTryItOutFor: (
            original: unknown,
            system: System,
          ) => (state: unknown, path: string, method: string) => boolean;
        };
      };
    };
    wrapComponents: Record<string, () => () => null>;
  }
  const SwaggerUI: (options: {
    domNode: Element;
    url: string;
    plugins: (() => Plugin)[];
    docExpansion: 'none' | 'list' | 'full';
    deepLinking: boolean;
    filter: boolean;
    tryItOutEnabled: boolean;
    displayRequestDuration: boolean;
    defaultModelsExpandDepth: number;
    validatorUrl: null;
    syntaxHighlight: boolean;
  }) => System;
  export default SwaggerUI;
}
