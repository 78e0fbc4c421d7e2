import { createClient } from '@switchyard/contract/client';
import { notices } from '@switchyard/contract/operations/bell';
import { send } from '../../../api.ts';

/** Client that is loaded on demand, so that the frame does not wait for the schema library. */
export const notificationsClient = createClient(notices, send);
