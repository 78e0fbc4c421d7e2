import { impersonation } from '@switchyard/contract/accounts/impersonation';
import { createClient } from '@switchyard/contract/client';
import { send } from '../../../api.ts';

/** Client that is loaded on demand, because it imports the schema library. */
export const impersonationClient = createClient(impersonation, send);
