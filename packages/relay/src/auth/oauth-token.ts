import { numberOf, objectOf, textOf } from '../json/json.ts';
import type { TokenExchange } from '../model/provider.ts';

const LIFETIME_SECONDS = 3600;

/** https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
export const readOauthToken: TokenExchange['read'] = (answer) => {
  const { access_token: token, expires_in: lasts } = objectOf(answer);
  const text = textOf(token);
  return text === undefined ? undefined : { token: text, lastsSeconds: numberOf(lasts) ?? LIFETIME_SECONDS };
};

export const oauthHeaders = { 'content-type': 'application/x-www-form-urlencoded' } as const;
