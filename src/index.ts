export { type App, type AppOverrides, buildApp } from './app.js'
export { type Config, ConfigError, type ConfigSources, loadConfig } from './config.js'
export { ERRORS, type ErrorCode, type ErrorType, ServiceError } from './errors.js'
export { VERSION } from './util/version.js'
