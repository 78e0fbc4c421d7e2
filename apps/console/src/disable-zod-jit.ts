/**
 * Turns off zod's code generation, which the CSP forbids, before the first schema is created. zod reads this
 * global; importing its `config()` would load the library with the first page.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
