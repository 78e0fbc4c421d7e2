import { BytePieces } from '@switchyard/relay/byte-pieces';
import { parseJson } from '@switchyard/relay/json';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { AskProxy } from './litellm.ts';

const ANSWER_MS = 60_000;
/** Lists of teams and models come whole. */
const ANSWER_MAX_BYTES = 128 * 1024 * 1024;

/** Asks the admin API of a proxy at this address, with its master key. */
export function createAskProxy(outbound: Outbound, address: string, masterKey: string): AskProxy {
  return async (path) => {
    const named = path.split('?', 1)[0];
    const { status, body } = await outbound.open({
      method: 'GET',
      url: `${address.replace(/\/+$/, '')}${path}`,
      headers: { authorization: `Bearer ${masterKey}`, accept: 'application/json' },
      proxy: '',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const held = new BytePieces();
    for await (const part of body) {
      held.push(part);
      if (held.length > ANSWER_MAX_BYTES) throw new Error(`The proxy's response to ${named} is too long`);
    }
    if (status !== 200) throw new Error(`The proxy returned status ${status} for ${named}`);
    return parseJson(held.whole().toString('utf8'));
  };
}
