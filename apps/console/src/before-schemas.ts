/**
 * The CSP forbids the code generation that the schema library (zod) tries when a schema is made, so it must be told
 * before. This is where it looks for its settings; its own `config()` would load it with the first page.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
