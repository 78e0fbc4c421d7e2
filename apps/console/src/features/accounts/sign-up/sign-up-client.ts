import { signUp } from '@switchyard/contract/accounts/sign-up';
import { createClient } from '@switchyard/contract/client';
import { send } from '../../../api.ts';

/** Loaded when something is sent: it brings the schema library with it. */
export const signUpClient = createClient(signUp, send);
