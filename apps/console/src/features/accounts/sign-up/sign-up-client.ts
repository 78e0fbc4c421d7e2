import { signUp } from '@switchyard/contract/accounts/sign-up';
import { createClient } from '@switchyard/contract/client';
import { send } from '../../../api.ts';

/** Client that is loaded on demand, because it imports the schema library. */
export const signUpClient = createClient(signUp, send);
