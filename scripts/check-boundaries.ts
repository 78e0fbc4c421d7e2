// dependency-cruiser exits with 0 if it could parse nothing, so the number of modules is checked as well.

import { createRequire } from 'node:module';
import { cruise } from 'dependency-cruiser';

const MODULES_MIN = 60;

const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
const result = await cruise(['packages', 'apps'], {
  ...config.options,
  ruleSet: { forbidden: config.forbidden },
  validate: true,
});
if (typeof result.output === 'string') throw new Error('dependency-cruiser answered with text');

const { summary } = result.output;
for (const violation of summary.violations) {
  const path = violation.cycle?.map((step) => step.name).join(' → ') ?? violation.to;
  console.error(`${violation.rule.name}: ${violation.from} → ${path}`);
}
if (summary.totalCruised < MODULES_MIN) {
  console.error(`Only ${summary.totalCruised} modules were seen; at least ${MODULES_MIN} were expected.`);
  process.exit(1);
}
console.log(`boundaries: ${summary.totalCruised} modules, ${summary.violations.length} violations`);
process.exit(summary.violations.length === 0 ? 0 : 1);
