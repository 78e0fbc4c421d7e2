/** Length of a recording by what was heard in it, whatever the recording's header states. */
import { recordingUsage } from '../media/recording-usage.ts';
import type { ClientRequest, Expected } from '../model/client-request.ts';
import type { Meter } from '../model/format.ts';
import { estimatedOutput } from '../model/meter.ts';
import { notBelieved } from '../model/usage.ts';
import { recordingSecondsMax } from './plausible-usage.ts';

/** Three times as many as usual speech has in a second, so that nobody pays for talking fast. */
const CHARACTERS_PER_SECOND = 50;
const WIDE_CHARACTERS_PER_SECOND = 15;
/** Whisper hears half a minute at a time, and a last word may end with it. */
const WINDOW_SECONDS = 30;

/**
 * Returns what is expected of a transcription when its transcript is known: the recording is at least as long as the
 * transcript says or takes to be spoken, and the transcript is what was written.
 */
export function expectedByTranscript(request: ClientRequest, expected: Expected, meter: Meter): Expected {
  if (request.operation !== 'transcription') return expected;
  const { usage } = expected;
  const spoken = spokenSeconds(meter);
  const most = recordingSecondsMax(request);
  const isLonger = spoken > usage.second + WINDOW_SECONDS && spoken <= most;
  const heard = isLonger ? recordingUsage(Math.ceil(spoken)) : usage;
  const output = meter.finished ? Math.max(heard.output, estimatedOutput(request, meter)) : heard.output;
  const doubted = isLonger || spoken > most ? (['second'] as const) : [];
  return {
    ...expected,
    usage: { ...heard, output, ...notBelieved(...(usage.implausible ?? []), ...doubted) },
  };
}

function spokenSeconds(meter: Meter): number {
  const { transcribedSeconds, deliveredCharacters, deliveredWideCharacters: wide } = meter;
  if (transcribedSeconds !== undefined) return transcribedSeconds;
  return (deliveredCharacters - wide) / CHARACTERS_PER_SECOND + wide / WIDE_CHARACTERS_PER_SECOND;
}
