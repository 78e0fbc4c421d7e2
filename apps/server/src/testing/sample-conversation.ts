import type { ConversationContent } from '@switchyard/contract/playground/conversation';

/** Returns a conversation of the playground with one question and its answer. */
export function sampleContent(text: string): ConversationContent {
  return {
    settings: {
      models: ['scripted-model'],
      system: '',
      stop: [],
      json: false,
      stream: true,
      tools: [],
      toolChoice: 'auto',
    },
    turns: [
      {
        id: 'turn',
        for: 'text',
        text,
        images: [],
        files: [],
        answers: [
          {
            id: 'answer',
            model: 'scripted-model',
            state: 'done',
            text: 'Yes.',
            reasoning: '',
            toolCalls: [],
            rounds: [],
          },
        ],
      },
    ],
  };
}
