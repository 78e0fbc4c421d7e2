import { familyName } from '../../../model/model-name.ts';

/**
 * Capabilities of the Gemini models, as of August 2026 (https://ai.google.dev/gemini-api/docs/thinking and …/models).
 * The first match counts; unknown and future models are treated like the newest.
 */
export type ThinkingLevel = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';

export interface GeminiModel {
  name: RegExp;
  /** `level`: effort words, never fully off; `budget`: tokens, and whether zero is allowed. */
  thinking:
    | { type: 'none' }
    | { type: 'level'; levels: readonly ThinkingLevel[] }
    | { type: 'budget'; min: number; max: number; canBeOff: boolean };
  /**
   * True from the third generation on: calls in the history must be signed, results may contain images, and Google's
   * own tools can be combined with the client's.
   */
  isThird: boolean;
}

const none = { type: 'none' } as const;

const models: readonly GeminiModel[] = [
  { name: /gemini-(1|2\.0|pro$|pro-vision)|gemma|learnlm/, thinking: none, isThird: false },
  { name: /gemini-2\.5.*(image|tts)/, thinking: none, isThird: false },
  { name: /gemini-2\.5-pro/, thinking: budget(128, 32_768, false), isThird: false },
  { name: /gemini-2\.5-flash-lite/, thinking: budget(512, 24_576, true), isThird: false },
  { name: /gemini-2\.5|gemini-robotics-er-1/, thinking: budget(1, 24_576, true), isThird: false },
  { name: /gemini-.*(image|tts)/, thinking: none, isThird: true },
  { name: /gemini-3-pro/, thinking: { type: 'level', levels: ['LOW', 'HIGH'] }, isThird: true },
  { name: /gemini-.*pro/, thinking: { type: 'level', levels: ['LOW', 'MEDIUM', 'HIGH'] }, isThird: true },
];

const newest: GeminiModel = {
  name: /./,
  thinking: { type: 'level', levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] },
  isThird: true,
};

export function geminiModel(name: string): GeminiModel {
  return models.find((model) => model.name.test(familyName(name))) ?? newest;
}

function budget(min: number, max: number, canBeOff: boolean): GeminiModel['thinking'] {
  return { type: 'budget', min, max, canBeOff };
}
