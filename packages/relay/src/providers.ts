import type { Provider } from './model/provider.ts';
import { ai21 } from './providers/ai21.ts';
import { ai360 } from './providers/ai360.ts';
import { aihubmix } from './providers/aihubmix.ts';
import { ali } from './providers/ali.ts';
import { anthropic } from './providers/anthropic.ts';
import { anthropicCompatible } from './providers/anthropic-compatible.ts';
import { azure } from './providers/azure.ts';
import { azureFoundry } from './providers/azure-foundry.ts';
import { azureSpeech } from './providers/azure-speech.ts';
import { azureV1 } from './providers/azure-v1.ts';
import { baichuan } from './providers/baichuan.ts';
import { baidu } from './providers/baidu.ts';
import { baseten } from './providers/baseten.ts';
import { bedrock } from './providers/bedrock.ts';
import { bfl } from './providers/bfl.ts';
import { byteplus } from './providers/byteplus.ts';
import { cerebras } from './providers/cerebras.ts';
import { cloudflare } from './providers/cloudflare.ts';
import { cohere } from './providers/cohere.ts';
import { coze } from './providers/coze.ts';
import { custom } from './providers/custom.ts';
import { databricks } from './providers/databricks.ts';
import { deepgram } from './providers/deepgram.ts';
import { deepinfra } from './providers/deepinfra.ts';
import { deepseek } from './providers/deepseek.ts';
import { dify } from './providers/dify.ts';
import { elevenlabs } from './providers/elevenlabs.ts';
import { fal } from './providers/fal.ts';
import { fireworks } from './providers/fireworks.ts';
import { gemini } from './providers/gemini.ts';
import { giteeai } from './providers/giteeai.ts';
import { github } from './providers/github.ts';
import { groq } from './providers/groq.ts';
import { huggingface } from './providers/huggingface.ts';
import { hyperbolic } from './providers/hyperbolic.ts';
import { ideogram } from './providers/ideogram.ts';
import { iflow } from './providers/iflow.ts';
import { infinigence } from './providers/infinigence.ts';
import { internlm } from './providers/internlm.ts';
import { jina } from './providers/jina.ts';
import { kling } from './providers/kling.ts';
import { lingyi } from './providers/lingyi.ts';
import { llamaCpp } from './providers/llama-cpp.ts';
import { lmStudio } from './providers/lm-studio.ts';
import { localai } from './providers/localai.ts';
import { luma } from './providers/luma.ts';
import { midjourney } from './providers/midjourney.ts';
import { mimo } from './providers/mimo.ts';
import { minimax } from './providers/minimax.ts';
import { mistral } from './providers/mistral.ts';
import { mixedbread } from './providers/mixedbread.ts';
import { modelscope } from './providers/modelscope.ts';
import { moonshot } from './providers/moonshot.ts';
import { nebius } from './providers/nebius.ts';
import { novita } from './providers/novita.ts';
import { nvidia } from './providers/nvidia.ts';
import { ollama } from './providers/ollama.ts';
import { oneApi } from './providers/one-api.ts';
import { openai } from './providers/openai.ts';
import { openrouter } from './providers/openrouter.ts';
import { perplexity } from './providers/perplexity.ts';
import { poe } from './providers/poe.ts';
import { ppio } from './providers/ppio.ts';
import { qiniu } from './providers/qiniu.ts';
import { recraft } from './providers/recraft.ts';
import { replicate } from './providers/replicate.ts';
import { runway } from './providers/runway.ts';
import { sambanova } from './providers/sambanova.ts';
import { scaleway } from './providers/scaleway.ts';
import { sensenova } from './providers/sensenova.ts';
import { sglang } from './providers/sglang.ts';
import { siliconflow } from './providers/siliconflow.ts';
import { stability } from './providers/stability.ts';
import { stepfun } from './providers/stepfun.ts';
import { suno } from './providers/suno.ts';
import { tencentHunyuan } from './providers/tencent-hunyuan.ts';
import { together } from './providers/together.ts';
import { upstage } from './providers/upstage.ts';
import { venice } from './providers/venice.ts';
import { vercel } from './providers/vercel.ts';
import { vertex } from './providers/vertex.ts';
import { vidu } from './providers/vidu.ts';
import { vllm } from './providers/vllm.ts';
import { volcengine } from './providers/volcengine.ts';
import { voyage } from './providers/voyage.ts';
import { xai } from './providers/xai.ts';
import { xinference } from './providers/xinference.ts';
import { xunfei } from './providers/xunfei.ts';
import { zhipu } from './providers/zhipu.ts';

/** All providers in the order of forms: the most common ones first, then all others by name. */
export const providers: readonly Provider[] = [
  openai,
  azure,
  anthropic,
  gemini,
  custom,
  ...[
    ai21,
    ai360,
    aihubmix,
    ali,
    anthropicCompatible,
    azureFoundry,
    azureSpeech,
    azureV1,
    baichuan,
    baidu,
    baseten,
    bedrock,
    bfl,
    byteplus,
    cerebras,
    cloudflare,
    cohere,
    coze,
    databricks,
    deepgram,
    deepinfra,
    deepseek,
    dify,
    elevenlabs,
    fal,
    fireworks,
    giteeai,
    github,
    groq,
    huggingface,
    hyperbolic,
    ideogram,
    iflow,
    infinigence,
    internlm,
    jina,
    kling,
    lingyi,
    llamaCpp,
    lmStudio,
    localai,
    midjourney,
    suno,
    luma,
    mimo,
    minimax,
    mistral,
    mixedbread,
    modelscope,
    moonshot,
    nebius,
    novita,
    nvidia,
    ollama,
    oneApi,
    openrouter,
    perplexity,
    poe,
    ppio,
    qiniu,
    recraft,
    replicate,
    runway,
    sambanova,
    scaleway,
    sensenova,
    sglang,
    siliconflow,
    stability,
    stepfun,
    tencentHunyuan,
    together,
    upstage,
    venice,
    vercel,
    vertex,
    vidu,
    vllm,
    volcengine,
    voyage,
    xai,
    xinference,
    xunfei,
    zhipu,
  ].toSorted((a, b) => a.label.localeCompare(b.label, 'en')),
];

export function findProvider(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}
