import Box from '@mui/material/Box';
import { KeyFigure } from '../../ui/charts/key-figure-and-change.tsx';
import { Chart } from '../../ui/charts/lazy-time-chart.tsx';
import { Sparkline } from '../../ui/charts/sparkline.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { SectionCard } from '../../ui/layout/section-card.tsx';
import { LanguageMenu, ThemeMenu } from '../frame/language-and-theme-menus.tsx';
import { FormSection, PartSection, TableSection } from './component-gallery-sections.tsx';

/** Shows every component of src/ui on one page for developers; the production build leaves it out. */
export function ComponentGallery() {
  return (
    <Box sx={{ maxWidth: 1100, mx: 'auto', p: 3, display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 3 }}>
      <PageHeader
        title="Gallery"
        actions={
          <>
            <ThemeMenu />
            <LanguageMenu />
          </>
        }
      />
      <PartSection />
      <FormSection />
      <ChartSection />
      <TableSection />
    </Box>
  );
}

const days = Array.from({ length: 14 }, (_, index) => `11-${String(index + 1).padStart(2, '0')}`);
const wave = (seed: number) => days.map((_, index) => Math.round(40 + 30 * Math.sin(index / 2 + seed) + seed * 12));
const models = ['gpt-5-mini', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'deepseek-chat'];
const series = models.map((name, index) => ({ name, values: wave(index) }));
const usd = (value: number) => `$${value}`;

function ChartSection() {
  return (
    <SectionCard title="Charts">
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', md: 'repeat(3, minmax(0, 1fr))' } }}>
        <KeyFigure label="Spent" value="$1,204.31" change={0.12} moreIsWorse trend={wave(1)} to="/panel/log" />
        <KeyFigure label="Calls" value="18,234" change={-0.04} trend={wave(2)} />
        <KeyFigure label="Failed" value="0" trend={days.map(() => 0)} />
      </Box>
      <Box sx={{ my: 2 }}>
        <Sparkline kind="bars" values={[1, 4, 2, null, 8, 3, 2]} label="Calls by hour" />
      </Box>
      <Chart kind="line" label="Spending by model" labels={days} series={series} format={usd} />
      <Chart kind="bar" label="Spending by model, stacked" labels={days} series={series} format={usd} />
    </SectionCard>
  );
}
