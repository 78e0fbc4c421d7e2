import { config } from 'zod';

// The CSP forbids the code generation that the schema library tries when a schema is made, so this module comes
// before every schema.
config({ jitless: true });
