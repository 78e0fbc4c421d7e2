import type { ModelMetadata } from '@switchyard/contract/catalog/models';
import type { OutputKind } from '@switchyard/contract/playground/conversation';

/** Name patterns for models without metadata. */
const pictureName = /dall-e|gpt-image|imagen|flux|stable-diffusion|sdxl|ideogram|seedream/i;
const transcriptName = /whisper|transcribe|(^|[-/])(asr|stt)([-/]|$)/i;
const speechName = /(^|[-/])tts([-/]|$)|text-to-speech/i;

/** Returns a model's kind of output by its metadata, otherwise by its name. */
export function inferRequestKind(model: string, facts: ModelMetadata | undefined): OutputKind {
  const { input, output } = facts ?? {};
  if (output !== undefined) {
    if (output.includes('text') && input?.includes('audio') && !input.includes('text')) return 'transcript';
    if (output.includes('text')) return 'text';
    if (output.includes('image')) return 'pictures';
    if (output.includes('audio')) return 'speech';
  }
  if (pictureName.test(model)) return 'pictures';
  if (transcriptName.test(model)) return 'transcript';
  return speechName.test(model) ? 'speech' : 'text';
}
