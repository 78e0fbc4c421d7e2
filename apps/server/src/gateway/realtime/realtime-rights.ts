/**
 * Permissions of a realtime session by the current settings: a session outlives changes of its token, group and
 * channel. Each response counts as a request in the rate limits; the session itself counts as the first.
 */
import { outputTokens, promptTokens, type Usage } from '@switchyard/relay/usage';
import type { LoggedCall } from '../billing/logged-call.ts';
import { RelayError, toRelayError } from '../http/relay-error.ts';
import type { TokenCharge } from '../limits/token-rate.ts';
import {
  type Admission,
  type AdmitParts,
  admitCaller,
  admitRequest,
  checkContinuation,
  checkModel,
  usableGroups,
} from '../pipeline/admit-request.ts';
import type { Candidate } from '../routing/channel-selector.ts';
import { type FindChannelParts, mayUseModel, nameGroups } from '../routing/find-channel-or-explain.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Exceeds the number of concurrent responses. */
const OPEN_RESPONSES_MAX = 64;

type RealtimeRightsParts = AdmitParts & Pick<FindChannelParts, 'channelSelector'>;

export class RealtimeRights {
  readonly #parts: RealtimeRightsParts;
  readonly #call: Admission & Pick<LoggedCall, 'principal' | 'request' | 'address'>;
  /** Token-limit charges of unfinished responses. */
  #begun: (TokenCharge | undefined)[];
  #isFirst = true;

  constructor(parts: RealtimeRightsParts, call: Admission & Pick<LoggedCall, 'principal' | 'request' | 'address'>) {
    this.#parts = parts;
    this.#call = call;
    this.#begun = [call.tokenCharge];
  }

  /** @returns the reason why the session must end */
  checkRights(serving: Pick<Candidate, 'channel' | 'group' | 'model'>): RelayError | undefined {
    const { request, address } = this.#call;
    return catchRefusal(() => checkContinuation(this.#parts, this.#principal(), request, serving, address));
  }

  /** Admits the next response. @returns the refusal */
  beginResponse(): Promise<RelayError | undefined> {
    if (this.#isFirst) {
      this.#isFirst = false;
      return Promise.resolve(undefined);
    }
    return catchAsyncRefusal(async () => {
      const admitted = await this.#admit();
      if (this.#begun.length < OPEN_RESPONSES_MAX) this.#begun.push(admitted);
    });
  }

  /** Records the usage of a response or a transcription. @returns the reason why the session must end */
  recordUsage(usage: Usage): Promise<RelayError | undefined> {
    return catchAsyncRefusal(async () => {
      const charge = this.#begun.length > 0 ? this.#begun.shift() : await this.#admit();
      if (charge === undefined) return;
      charge.used = promptTokens(usage) + outputTokens(usage);
      charge.correct();
    });
  }

  /** Checks whether the caller may use the model to transcribe the client's audio. @throws RelayError */
  checkModel(model: string): void {
    const principal = this.#principal();
    checkModel(principal.key, model);
    const groups = usableGroups(this.#parts.snapshot, principal);
    if (mayUseModel(this.#parts, { principal, groups }, model)) return;
    const refusal = `The model ${model.slice(0, 80)} is not available to ${nameGroups(groups)}.`;
    const message = `${refusal} GET /v1/models lists your models.`;
    throw new RelayError('model_not_allowed', message, { param: 'model' });
  }

  /** Refunds the limits for responses that never ended. */
  end(): void {
    for (const charge of this.#begun) charge?.correct();
    this.#begun = [];
  }

  async #admit(): Promise<TokenCharge | undefined> {
    const { request, address } = this.#call;
    const principal = this.#principal();
    const caller = await admitCaller(this.#parts, principal, address);
    return (await admitRequest(this.#parts, principal, request, caller)).tokenCharge;
  }

  #principal(): Principal {
    return refreshPrincipal(this.#parts.snapshot, this.#call.principal);
  }
}

/** Returns the principal with its current settings. A deleted user or key is kept until a check finds it missing. */
export function refreshPrincipal(snapshot: Snapshot, { user, key, pinnedChannelId }: Principal): Principal {
  return { user: snapshot.user(user.id) ?? user, key: key && (snapshot.key(key.id) ?? key), pinnedChannelId };
}

function catchRefusal(check: () => void): RelayError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return toRelayError(error);
  }
}

async function catchAsyncRefusal(check: () => Promise<void>): Promise<RelayError | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return toRelayError(error);
  }
}
