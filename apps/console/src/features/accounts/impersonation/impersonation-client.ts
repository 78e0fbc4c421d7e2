import { impersonation } from '@switchyard/contract/accounts/impersonation';
import { createClient } from '@switchyard/contract/client';
import { send } from '../../../api.ts';

/** Loaded when it is used: it brings the schema library with it. */
export const impersonationClient = createClient(impersonation, send);
