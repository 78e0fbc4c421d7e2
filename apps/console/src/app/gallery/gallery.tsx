import Box from '@mui/material/Box';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { LanguageMenu, ThemeMenu } from '../frame/top-bar-menus.tsx';
import { ChartSection } from './chart-section.tsx';
import { FormSection } from './form-section.tsx';
import { PartSection } from './part-section.tsx';
import { TableSection } from './table-section.tsx';

/** Shows every component of src/ui on one page for developers; the production build leaves it out. */
export function Gallery() {
  return (
    <Box
      sx={{
        maxWidth: 1100,
        mx: 'auto',
        p: 3,
        display: 'grid',
        gridTemplateColumns: 'minmax(0, 1fr)',
        gap: 3,
      }}
    >
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
