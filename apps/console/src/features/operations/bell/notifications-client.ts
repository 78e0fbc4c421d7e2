import { createClient } from '@switchyard/contract/client';
import { notices } from '@switchyard/contract/operations/bell';
import { send } from '../../../api.ts';

/** Client in a module of its own, because the frame must not wait for the schema library. */
export const notificationsClient = createClient(notices, send);
