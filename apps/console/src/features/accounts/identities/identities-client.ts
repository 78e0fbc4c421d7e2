import { identities } from '@switchyard/contract/accounts/identities';
import { createClient } from '@switchyard/contract/client';
import { send } from '../../../api.ts';

/** Loaded when somebody signs in or is signed in: it brings the schema library with it. */
export const identitiesClient = createClient(identities, send);
