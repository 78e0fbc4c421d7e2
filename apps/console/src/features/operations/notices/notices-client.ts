import { createClient } from '@switchyard/contract/client';
import { notices } from '@switchyard/contract/operations/notices';
import { send } from '../../../api.ts';

/** With the schema library, which the frame does not wait for. */
export const noticesClient = createClient(notices, send);
