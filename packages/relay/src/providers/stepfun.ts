import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/**
 * StepFun. Outside China: `https://api.stepfun.ai`. Its image models were retired on 2026-10-10.
 * https://platform.stepfun.com/docs/zh/api-reference/chat/chat-completion-create
 */
export const stepfun = createOpenaiCompatible({
  id: 'stepfun',
  label: 'StepFun',
  channelType: 1103,
  website: 'https://platform.stepfun.com',
  baseUrl: 'https://api.stepfun.com',
  endpointTypes: ['openai-chat', 'openai-speech', 'openai-transcription'],
  testModel: 'step-2-mini',
});
