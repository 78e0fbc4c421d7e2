import { identities } from '@switchyard/contract/accounts/identities';
import { createClient } from '@switchyard/contract/client';
import { send } from '../../../api.ts';

/** Client that is loaded on demand, because it imports the schema library. */
export const identitiesClient = createClient(identities, send);
