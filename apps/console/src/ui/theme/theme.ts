import { createTheme, type PaletteOptions, type Theme } from '@mui/material/styles';
import '@mui/material/themeCssVarsAugmentation';
import { dark, light, type Scheme } from './design-tokens.ts';
import { components } from './mui-component-overrides.ts';

declare module '@mui/material/styles' {
  interface TypeBackground {
    raised: string;
  }
  interface PaletteColor {
    soft: string;
    onSoft: string;
  }
  interface SimplePaletteColorOptions {
    soft?: string;
    onSoft?: string;
  }
  interface Palette {
    neutral: { soft: string; onSoft: string };
  }
  interface PaletteOptions {
    neutral?: { soft: string; onSoft: string };
  }
}

const cjkFonts: Record<string, string> = {
  zh_CN: '"PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC"',
  zh_HK: '"PingFang HK", "PingFang TC", "Microsoft JhengHei", "Noto Sans CJK HK", "Noto Sans CJK TC"',
  ja_JP: '"Hiragino Sans", "Yu Gothic UI", "Yu Gothic", "Noto Sans CJK JP"',
  en_US: '"PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC"',
};

function palette(scheme: Scheme): PaletteOptions {
  const state = (colour: Scheme['success']) => ({
    main: colour.main,
    contrastText: scheme.paper,
    soft: colour.soft,
    onSoft: colour.main,
  });
  return {
    background: { default: scheme.background, paper: scheme.paper, raised: scheme.raised },
    text: { primary: scheme.text, secondary: scheme.textSecondary, disabled: scheme.textDisabled },
    divider: scheme.border,
    primary: {
      main: scheme.primary,
      contrastText: scheme.onPrimary,
      soft: scheme.primarySoft,
      onSoft: scheme.onPrimarySoft,
    },
    success: state(scheme.success),
    warning: state(scheme.warning),
    error: state(scheme.error),
    info: state(scheme.info),
    action: { active: scheme.textSecondary },
    neutral: { soft: scheme.neutralSoft, onSoft: scheme.onNeutralSoft },
  };
}

/**
 * @param language determines the CJK fallback fonts, because glyphs of the same code point differ by region
 * @param localeText MUI's own texts in that language
 */
export function createAppTheme(language: string, localeText: object): Theme {
  const cjk = cjkFonts[language] ?? cjkFonts['en_US'];
  const size = (px: number, weight: number, line: number) => ({
    fontSize: `${px / 16}rem`,
    fontWeight: weight,
    lineHeight: line,
    letterSpacing: 'normal',
  });
  return createTheme(
    {
      cssVariables: { colorSchemeSelector: 'data-color-scheme' },
      colorSchemes: { light: { palette: palette(light) }, dark: { palette: palette(dark) } },
      shape: { borderRadius: 8 },
      typography: {
        fontFamily: `"Roboto Variable", ${cjk}, system-ui, sans-serif`,
        fontWeightMedium: 500,
        fontWeightBold: 600,
        h1: size(20, 600, 1.3),
        h2: size(16, 600, 1.4),
        h3: size(14, 600, 1.4),
        h4: size(28, 600, 1.2),
        subtitle2: size(13, 500, 1.4),
        body1: size(14, 400, 1.5),
        body2: size(13, 400, 1.45),
        caption: size(12, 400, 1.4),
        overline: { ...size(12, 500, 1.5), textTransform: 'none' },
        button: { ...size(14, 500, 1.4), textTransform: 'none' },
      },
      transitions: {
        duration: {
          shortest: 100,
          shorter: 120,
          short: 150,
          standard: 180,
          complex: 200,
          enteringScreen: 180,
          leavingScreen: 150,
        },
      },
      components,
    },
    localeText,
  );
}
