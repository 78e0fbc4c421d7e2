import { z } from 'zod';
import { accessTokenId } from '../ids.ts';
import { emptyData, routes } from '../route.ts';
import { expiry, seconds } from './account-fields.ts';
import { right } from './permissions.ts';

export const createAccessToken = z.object({
  name: z.string().trim().min(1).max(64),
  /** Rights of the token, limited to its owner's; `user` allows the use of the owner's account. */
  scopes: z.array(right).min(1).max(64),
  /** Limits the token to reading. */
  read_only: z.boolean().default(true),
  /** UTC seconds; 0: never expires. */
  expires_time: expiry,
});

export const accessToken = z.object({
  id: accessTokenId,
  /** Empty for the token that `GET /api/user/token` creates. */
  name: z.string(),
  /** Last four characters of the token. */
  hint: z.string(),
  /** Rights of the token; null: all rights of its owner. */
  scopes: z.array(right).nullable(),
  read_only: z.boolean(),
  expired: z.boolean(),
  created_time: seconds,
  expires_time: seconds,
  /** UTC seconds; 0: never used. */
  last_used_time: seconds,
});
export type AccessToken = z.output<typeof accessToken>;

export const accessTokens = routes({
  list: {
    method: 'GET',
    path: '/api/user/access_tokens',
    access: 'user',
    summary: 'List your access tokens for the management API, without their secrets',
    answer: z.array(accessToken),
  },
  create: {
    method: 'POST',
    path: '/api/user/access_tokens',
    access: 'user',
    stepUp: true,
    summary: 'Create an access token; the secret is returned only here',
    body: createAccessToken,
    answer: z.object({ token: z.string(), id: accessTokenId }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/user/access_tokens/:id',
    access: 'user',
    summary: 'Revoke one of your access tokens',
    params: z.object({ id: accessTokenId }),
    answer: emptyData,
  },
  replace: {
    method: 'GET',
    path: '/api/user/token',
    access: 'user',
    stepUp: true,
    sameOrigin: true,
    summary:
      'Create an access token with all your permissions, for tools of other gateways; revokes the previous token of this route',
    answer: z.string(),
  },
});
