/** Length of a recording by what was heard in it, whatever the recording's header states. */
import { estimateRecordingUsage } from '../media/recording-usage.ts';
import type { ClientRequest, ExpectedUsage } from '../model/client-request.ts';
import type { Meter } from '../model/dialect.ts';
import { estimateOutput } from '../model/meter.ts';
import { markImplausible } from '../model/usage.ts';
import { maxRecordingSeconds } from './plausible-usage.ts';

/** Three times as many as usual speech has in a second, so that nobody pays for talking fast. */
const CHARACTERS_PER_SECOND = 50;
const WIDE_CHARACTERS_PER_SECOND = 15;
/** Whisper hears half a minute at a time, and a last word may end with it. */
const WINDOW_SECONDS = 30;

/**
 * Returns what is expected of a transcription when its transcript is known: the recording is at least as long as the
 * transcript says or takes to be spoken, and the transcript is what was written.
 */
export function expectFromTranscript(
  request: ClientRequest,
  expected: ExpectedUsage,
  meter: Meter,
): ExpectedUsage {
  if (request.operation !== 'transcription') return expected;
  const { usage } = expected;
  const spoken = estimateSpokenSeconds(meter);
  const most = maxRecordingSeconds(request);
  const isLonger = spoken > usage.second + WINDOW_SECONDS && spoken <= most;
  const heard = isLonger ? estimateRecordingUsage(Math.ceil(spoken)) : usage;
  const output = meter.finished ? Math.max(heard.output, estimateOutput(request, meter)) : heard.output;
  const doubted = isLonger || spoken > most ? (['second'] as const) : [];
  return {
    ...expected,
    usage: { ...heard, output, ...markImplausible(...(usage.implausible ?? []), ...doubted) },
  };
}

function estimateSpokenSeconds(meter: Meter): number {
  const { transcribedSeconds, deliveredCharacters, deliveredWideCharacters: wide } = meter;
  if (transcribedSeconds !== undefined) return transcribedSeconds;
  return (deliveredCharacters - wide) / CHARACTERS_PER_SECOND + wide / WIDE_CHARACTERS_PER_SECOND;
}
