import { createClient } from '@switchyard/contract/client';
import { impersonation } from '@switchyard/contract/impersonation';
import { send } from '../../api.ts';

/** Loaded when it is used: it brings the schema library with it. */
export const impersonationClient = createClient(impersonation, send);
