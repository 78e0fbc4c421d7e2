// Writes the shipped model list from the data of genai-prices and `model-facts.json`. Run it after either has
// changed:
//   node scripts/update-model-list.ts
import { waitForUpdate } from '@pydantic/genai-prices';
import { listKnownModels, readOwnModelMetadata } from './model-list.ts';
import { writeShippedList } from './shipped-list.ts';

const TARGET = 'apps/server/src/catalog/models/shipped-models.json';
const ENTRIES_MIN = 300;

const providers = await waitForUpdate();
if (providers === null) throw new Error('genai-prices has no data');
const models = listKnownModels(providers, readOwnModelMetadata());
if (models.length < ENTRIES_MIN)
  throw new Error(`Only ${models.length} models were found; the data's form has changed`);
writeShippedList(TARGET, 'models', models, new Date());
console.log(`${models.length} models → ${TARGET}`);
