import { createClient } from '@switchyard/contract/client';
import { identities } from '@switchyard/contract/identities';
import { send } from '../../api.ts';

/** Loaded when somebody signs in or is signed in: it brings the schema library with it. */
export const identitiesClient = createClient(identities, send);
