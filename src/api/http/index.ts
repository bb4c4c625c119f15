export { buildHttpServer, createBootName, type HttpFront, type HttpServerOptions } from './build-http-server.ts';
