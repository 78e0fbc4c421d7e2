/** Usage to bill: of tokens if the report is incomplete, and of operations measured in images, seconds or characters. */

import { estimateVariantTokens } from '../dialects/images/image-usage.ts';
import { estimateRecordingUsage, SPEECH_TOKENS_PER_SECOND } from '../media/recording-usage.ts';
import { countBinaryBytes } from '../tokens/text-samples-and-counts.ts';
import type { ClientRequest, ExpectedUsage } from './client-request.ts';
import type { Meter } from './dialect.ts';
import { maxRecordingSeconds } from './plausible-usage.ts';
import { conversationUsage, emptyUsage, markImplausible, outputTokens, promptTokens, type Usage } from './usage.ts';
import { copyMeter, estimateOutput, isDiscarded } from './usage-meter.ts';

/** Token counts of a `TokenizerInput`. */
export interface TokenCounts {
  prompt: number;
  answer: number;
}

/**
 * Returns whether the upstream reported everything that is billed. Every request has a prompt, and delivered text has
 * output tokens; a report without them is incomplete.
 */
export function isFullyReported({ usage, finished, deliveredCharacters }: Meter): boolean {
  if (usage === undefined || !finished || isDiscarded(usage, 'input') || isDiscarded(usage, 'output')) return false;
  const all = conversationUsage(usage);
  return promptTokens(all) > 0 && (outputTokens(all) > 0 || deliveredCharacters === 0);
}

/**
 * Returns the usage to bill for an incomplete report: counted with the model's vocabulary if that is known, else
 * estimated from the number of characters. Reported counters are kept (Anthropic reports the input first); the output
 * of a stream that broke off is at least the delivered amount. Zero if nothing was delivered.
 */
export function countedUsage(request: ClientRequest, read: Meter, counts?: TokenCounts): Usage {
  const meter = withoutToolImages(read);
  const usage = meter.usage ?? emptyUsage();
  const input = counts?.prompt ?? request.facts.inputTokensEstimate;
  // Audio and images have no sample.
  const isEstimated = counts === undefined || meter.deliveredSample.length === 0;
  const output = isEstimated ? estimateOutput(request, meter) : extrapolateTokens(counts.answer, meter);
  const isOutputKnown = meter.finished && outputTokens(usage) > 0 && !isDiscarded(usage, 'output');
  const isPromptKnown = promptTokens(usage) > 0 && !isDiscarded(usage, 'input');
  // Other runs delivered a part of the text, and reasoning is not delivered.
  const known = outputTokens(conversationUsage(usage)) - outputTokens(usage) + usage.reasoning;
  const isHidden = isDiscarded(usage, 'output') && usage.reasoning > output;
  return {
    ...usage,
    input: isPromptKnown ? usage.input : Math.max(0, input - promptTokens(usage)),
    output: isOutputKnown ? usage.output : Math.max(usage.output, isHidden ? output : output - known),
  };
}

/** Returns the meter without the size of images that a tool's model drew: they are charged as images of that model. */
function withoutToolImages(meter: Meter): Meter {
  const { usage, deliveredCharacters, deliveredBinaryCharacters = 0 } = meter;
  const hasToolImages = usage?.others?.some(({ tool }) => tool !== undefined) === true;
  if (!hasToolImages) return meter;
  return { ...copyMeter(meter), deliveredCharacters: deliveredCharacters - deliveredBinaryCharacters };
}

/** Extrapolates the sample's tokens to the whole response at the same density. */
function extrapolateTokens(sampleTokens: number, { deliveredSample, deliveredCharacters }: Meter): number {
  return Math.ceil(sampleTokens * Math.max(1, deliveredCharacters / deliveredSample.length));
}

export interface UnitUsage {
  usage: Usage;
  source: 'reported' | 'counted' | 'estimated';
}

/** Counters that are estimated if their report is implausible. */
const wholes = ['input', 'audioInput', 'imageInput', 'output', 'audioOutput', 'imageOutput'] as const;

/**
 * Returns the units that the response reports, else those of the request, and the reported tokens. If the price
 * counts tokens and none were reported, they are estimated from the request; the output of a response that broke off
 * is at most the delivered amount.
 * @param isPricedByUnit true if the price has a rate for the unit
 */
export function computeUnitUsage(
  request: ClientRequest,
  asked: ExpectedUsage,
  meter: Meter,
  isPricedByUnit: boolean,
): UnitUsage {
  const expected = expectFromTranscript(request, asked, meter);
  const { unit } = expected;
  const reported = meter.usage ?? emptyUsage();
  // The response itself contains the images, so that none means zero.
  const isTold = unit === 'image' ? meter.usage !== undefined : reported[unit] > 0;
  const usage: Usage = isTold
    ? reported
    : {
        ...reported,
        [unit]: expected.usage[unit],
        imageVariant: expected.usage.imageVariant,
        ...markImplausible(...(reported.implausible ?? []), ...(expected.usage.implausible ?? [])),
      };
  if (isPricedByUnit) return { usage, source: isTold ? 'reported' : expected.isCounted ? 'counted' : 'estimated' };
  const isPlausible = wholes.every((counter) => !isDiscarded(reported, counter));
  if (isPlausible && isFullyReported(meter)) return { usage, source: 'reported' };
  return { usage: withTokens(request, expected, meter, usage), source: 'estimated' };
}

function withTokens(request: ClientRequest, expected: ExpectedUsage, meter: Meter, usage: Usage): Usage {
  const { usage: most } = expected;
  const output = (tokens: number): number =>
    meter.finished ? tokens : Math.min(tokens, estimateOutput(request, meter));
  const { image, imageVariant } = usage;
  const hasImageTokens = image > 0 && most.imageOutput > 0;
  const drawn = hasImageTokens
    ? image * estimateVariantTokens(request.facts.model, imageVariant || most.imageVariant)
    : 0;
  const isPromptKnown = promptTokens(usage) > 0;
  const prompt = (counter: 'input' | 'audioInput' | 'imageInput', estimate: number): number =>
    isPromptKnown && !isDiscarded(usage, counter) ? usage[counter] : estimate;
  return {
    ...usage,
    input: prompt('input', request.facts.inputTokensEstimate),
    audioInput: prompt('audioInput', Math.max(0, most.audioInput - usage.cachedAudioInput)),
    imageInput: prompt('imageInput', Math.max(0, most.imageInput - usage.cachedImageInput)),
    output: Math.max(usage.output, output(most.output)),
    audioOutput: Math.max(usage.audioOutput, output(most.audioOutput), countSpokenTokens(request, meter)),
    imageOutput: usage.imageOutput > 0 ? usage.imageOutput : output(drawn),
  };
}

/** Bytes per second of PCM at 24 kHz, OpenAI's sample rate, and of compressed speech, 160 kbit/s. */
const PCM_BYTES_PER_SECOND = 48_000;
const BYTES_PER_SECOND = 20_000;
const uncompressed: ReadonlySet<unknown> = new Set(['pcm', 'wav', 'flac']);

/** Returns the tokens of the delivered speech. */
function countSpokenTokens(request: ClientRequest, meter: Meter): number {
  return request.operation === 'speech' ? Math.ceil(countSpokenSeconds(request, meter) * SPEECH_TOKENS_PER_SECOND) : 0;
}

/**
 * Returns the seconds of the delivered speech, estimated by its size if its format cannot be measured: instructions,
 * pauses and a slow voice make it longer than its text.
 */
export function countSpokenSeconds({ json }: Pick<ClientRequest, 'json'>, meter: Meter): number {
  const bytes = countBinaryBytes(meter.deliveredBinaryCharacters ?? 0);
  const bytesPerSecond = uncompressed.has(json['response_format']) ? PCM_BYTES_PER_SECOND : BYTES_PER_SECOND;
  return meter.audioSeconds ?? bytes / bytesPerSecond;
}

/** Length of a recording derived from its transcript, regardless of its header. */

/** Maximum characters of speech per second, three times the usual rate, so that fast speech costs no more. */
const CHARACTERS_PER_SECOND = 50;
const WIDE_CHARACTERS_PER_SECOND = 15;
/** Share of these rates at which people usually speak. */
const USUAL_SHARE = 0.3;
/** Length of Whisper's window, at whose end the last word may end. */
const WINDOW_SECONDS = 30;

/**
 * Returns the expected usage of a transcription with a known transcript: the recording is at least as long as the
 * transcript states or takes to speak, and the output is the transcript.
 */
function expectFromTranscript(request: ClientRequest, expected: ExpectedUsage, meter: Meter): ExpectedUsage {
  if (request.operation !== 'transcription') return expected;
  const { usage } = expected;
  // A recording that was not measured may be ten times as long as its size suggests.
  const spoken = estimateSpokenSeconds(meter, expected.isCounted ? 1 : USUAL_SHARE);
  const most = maxRecordingSeconds(request);
  const isLonger = spoken > usage.second + WINDOW_SECONDS && spoken <= most;
  const heard = isLonger ? estimateRecordingUsage(Math.ceil(spoken)) : usage;
  const output = meter.finished ? Math.max(heard.output, estimateOutput(request, meter)) : heard.output;
  const doubted = (isLonger && expected.isCounted) || spoken > most ? (['second'] as const) : [];
  return { ...expected, usage: { ...heard, output, ...markImplausible(...(usage.implausible ?? []), ...doubted) } };
}

/** @param share share of the maximum characters per second */
function estimateSpokenSeconds(meter: Meter, share: number): number {
  const { transcribedSeconds, deliveredCharacters, deliveredWideCharacters: wide } = meter;
  if (transcribedSeconds !== undefined) return transcribedSeconds;
  const seconds = (deliveredCharacters - wide) / CHARACTERS_PER_SECOND + wide / WIDE_CHARACTERS_PER_SECOND;
  return seconds / share;
}
