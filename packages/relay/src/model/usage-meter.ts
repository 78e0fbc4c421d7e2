import type { UpstreamError } from '../errors/upstream-error.ts';
import { PassingAudioLength } from '../media/audio-length.ts';
import { estimateTokens } from '../tokens/estimate-prompt-tokens.ts';
import { countBinaryCharacters, countWideCharacters, TextSample } from '../tokens/text-samples-and-counts.ts';
import { findModelFamily } from '../tokens/tokenizer-family.ts';
import type { ClientRequest } from './client-request.ts';
import type { Meter } from './dialect.ts';
import type { Usage, UsageCounterName } from './usage.ts';

/** Part of a response reader that a meter reads; `sample` is absent if the text is added piece by piece. */
interface UsageSource extends Pick<Meter, 'usage' | 'audioSeconds'> {
  readonly sample?: string;
}

/** Meter that its owner writes to. */
export class WritableMeter implements Meter {
  deliveredCharacters = 0;
  deliveredWideCharacters = 0;
  deliveredBinaryCharacters = 0;
  deliveredImages = 0;
  endedChoices = 0;
  finished = false;
  servedModel: string | undefined = undefined;
  transcribedSeconds: number | undefined = undefined;
  /** Error that the upstream wrote into a 200 response. */
  error: UpstreamError | undefined = undefined;
  #bytes = 0;
  #audio: PassingAudioLength | undefined;
  readonly #ownSample = new TextSample();
  #ownUsage: Usage | undefined;
  readonly #source: UsageSource | undefined;

  /** @param source absent if the usage is set directly */
  constructor(source?: UsageSource) {
    this.#source = source;
  }

  get usage(): Usage | undefined {
    return this.#source === undefined ? this.#ownUsage : this.#source.usage;
  }

  set usage(usage: Usage | undefined) {
    this.#ownUsage = usage;
  }

  get deliveredSample(): string {
    return this.#source?.sample ?? this.#ownSample.toString();
  }

  addText(text: string): void {
    this.deliveredCharacters += text.length;
    this.deliveredWideCharacters += countWideCharacters(text);
    this.#ownSample.add(text);
  }

  get audioSeconds(): number | undefined {
    return this.#audio?.seconds ?? this.#source?.audioSeconds;
  }

  /** @param chunk part of a binary response, which may be as small as the network makes it */
  addAudio(chunk: Buffer): void {
    const before = countBinaryCharacters((this.#bytes * 4) / 3);
    this.#bytes += chunk.length;
    this.#addEquivalent(countBinaryCharacters((this.#bytes * 4) / 3) - before);
    this.#audio ??= new PassingAudioLength();
    this.#audio.add(chunk);
  }

  /** @param characters number of base64 characters */
  addBinary(characters: number): void {
    this.#addEquivalent(countBinaryCharacters(characters));
  }

  #addEquivalent(equivalent: number): void {
    this.deliveredCharacters += equivalent;
    this.deliveredBinaryCharacters += equivalent;
  }
}

/** Returns a snapshot of a meter. */
export function copyMeter(meter: Meter): Meter {
  const { usage, deliveredCharacters, deliveredWideCharacters, deliveredBinaryCharacters, deliveredSample } = meter;
  const { finished, servedModel, transcribedSeconds, audioSeconds, deliveredImages, endedChoices } = meter;
  return {
    usage,
    deliveredCharacters,
    deliveredWideCharacters,
    deliveredBinaryCharacters,
    deliveredImages,
    endedChoices,
    deliveredSample,
    finished,
    servedModel,
    transcribedSeconds,
    audioSeconds,
  };
}

/** Returns whether a counter is zero because its report was implausible. */
export function isDiscarded(usage: Usage, counter: UsageCounterName): boolean {
  return usage[counter] === 0 && usage.implausible?.includes(counter) === true;
}

export function estimateOutput(request: ClientRequest, meter: Meter): number {
  const { deliveredCharacters, deliveredWideCharacters } = meter;
  return estimateTokens(findModelFamily(request.facts.model), deliveredCharacters, deliveredWideCharacters);
}
