import Box from '@mui/material/Box';
import { contentWidth } from '../../../ui/theme/design-tokens.ts';
import { ModelsPage } from './models-page.tsx';

/** Shows the model list to visitors in the public frame. */
export function PublicModelsPage() {
  return (
    <Box sx={{ width: '100%', maxWidth: contentWidth, mx: 'auto', px: { xs: 1.5, md: 3 }, pb: 4 }}>
      <ModelsPage />
    </Box>
  );
}
