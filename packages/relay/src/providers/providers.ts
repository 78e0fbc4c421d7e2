import type { Provider } from '../provider.ts';
import { ai360 } from './ai360.ts';
import { ali } from './ali.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { azureSpeech } from './azure-speech.ts';
import { baichuan } from './baichuan.ts';
import { baidu } from './baidu.ts';
import { bedrock } from './bedrock.ts';
import { bfl } from './bfl.ts';
import { byteplus } from './byteplus.ts';
import { cloudflare } from './cloudflare.ts';
import { cohere } from './cohere.ts';
import { coze } from './coze.ts';
import { custom } from './custom.ts';
import { deepgram } from './deepgram.ts';
import { deepseek } from './deepseek.ts';
import { dify } from './dify.ts';
import { elevenlabs } from './elevenlabs.ts';
import { fal } from './fal.ts';
import { gemini } from './gemini.ts';
import { giteeai } from './giteeai.ts';
import { groq } from './groq.ts';
import { ideogram } from './ideogram.ts';
import { iflow } from './iflow.ts';
import { infinigence } from './infinigence.ts';
import { internlm } from './internlm.ts';
import { lingyi } from './lingyi.ts';
import { mimo } from './mimo.ts';
import { minimax } from './minimax.ts';
import { modelscope } from './modelscope.ts';
import { moonshot } from './moonshot.ts';
import { openai } from './openai.ts';
import { ppio } from './ppio.ts';
import { qiniu } from './qiniu.ts';
import { recraft } from './recraft.ts';
import { replicate } from './replicate.ts';
import { sensenova } from './sensenova.ts';
import { siliconflow } from './siliconflow.ts';
import { stability } from './stability.ts';
import { stepfun } from './stepfun.ts';
import { tencentHunyuan } from './tencent-hunyuan.ts';
import { vertex } from './vertex.ts';
import { volcengine } from './volcengine.ts';
import { xunfei } from './xunfei.ts';
import { zhipu } from './zhipu.ts';
export const providers: readonly Provider[] = [
  openai,
  azure,
  anthropic,
  gemini,
  custom,
  ai360,
  ali,
  azureSpeech,
  baichuan,
  baidu,
  bedrock,
  bfl,
  byteplus,
  cloudflare,
  cohere,
  coze,
  deepgram,
  deepseek,
  dify,
  elevenlabs,
  fal,
  giteeai,
  groq,
  ideogram,
  iflow,
  infinigence,
  internlm,
  lingyi,
  mimo,
  minimax,
  modelscope,
  moonshot,
  ppio,
  qiniu,
  recraft,
  replicate,
  sensenova,
  siliconflow,
  stability,
  stepfun,
  tencentHunyuan,
  vertex,
  volcengine,
  xunfei,
  zhipu,
];

export function findProvider(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}
