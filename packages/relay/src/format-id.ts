/** A wire dialect that clients speak. */
export type FormatId =
  | 'openai-chat'
  | 'anthropic-messages'
  | 'openai-responses'
  | 'gemini'
  | 'openai-completions'
  | 'openai-embeddings'
  | 'gemini-embeddings'
  | 'openai-images'
  | 'openai-image-edits'
  | 'openai-image-variations'
  | 'openai-speech'
  | 'openai-transcription'
  | 'openai-translation'
  | 'openai-moderation'
  | 'rerank'
  | 'openai-realtime'
  | 'openai-videos'
  | 'openai-video-remix'
  | 'midjourney'
  | 'suno';

/** What an upstream may be asked in: these, and some that no client speaks. */
export type UpstreamFormatId =
  | FormatId
  | 'bedrock-converse'
  | 'bedrock-embeddings'
  | 'vertex-embeddings'
  | 'cohere-chat'
  | 'cohere-embeddings'
  | 'cohere-rerank'
  | 'replicate-images'
  | 'bfl-images'
  | 'kling-images'
  | 'midjourney-images'
  | 'dify-chat'
  | 'coze-chat'
  | 'hunyuan-chat'
  | 'fal-images'
  | 'ideogram-images'
  | 'stability-images'
  | 'minimax-speech'
  | 'azure-speech'
  | 'deepgram-speech'
  | 'deepgram-transcription'
  | 'elevenlabs-transcription'
  | 'elevenlabs-speech';

/** What a client wants done; each dialect can carry one of them. */
export type Operation =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'images'
  | 'speech'
  | 'transcription'
  | 'moderation'
  | 'rerank'
  | 'realtime'
  | 'videos'
  | 'drawing'
  | 'music';
