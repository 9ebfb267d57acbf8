import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Chart } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';

use([BarChart, LineChart, GridComponent, LegendComponent, SVGRenderer]);

/** Sizes of a chart on desktops and paper, and on phones. A wide chart on a phone would have unreadable text. */
export const WIDE_SIZE = { width: 680, height: 150 };
export const NARROW_SIZE = { width: 330, height: 160 };

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
const TEXT = { color: 'var(--pale)', fontFamily: FONT, fontSize: 12 };
/** Colors of charts, as custom properties of the style sheet, because they differ in dark mode. */
const COLORS = ['var(--chart)', 'var(--chart-too)'];

/** Returns a chart as SVG that contains only shapes and text, without scripts, style sheets or external resources. */
export function renderChart(chart: Chart, size: { width: number; height: number }, formats: ReportFormats): string {
  const canvas = init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    canvas.setOption(echartsOptionOf(chart, formats));
    return withoutInteractiveMarkup(canvas.renderToSVGString());
  } finally {
    canvas.dispose();
  }
}

/** Removes markup that is only used with a pointer or scripts. Texts are escaped, so the patterns match only tags. */
const withoutInteractiveMarkup = (svg: string): string =>
  svg
    .replace(/<style\b[^>]*>[\s\S]*?<\/style>/g, '')
    .replace(/ (?:class|ecmeta_\w+|pointer-events|xmlns:xlink|baseProfile|version)="[^"]*"/g, '')
    .replace(/^<svg width="\d+" height="\d+"/, '<svg aria-hidden="true"');

function unitText(value: number, unit: Chart['unit'], formats: ReportFormats): string {
  if (unit === 'percent') return formats.language.percent(value, 1);
  return unit === 'milliseconds' ? formats.milliseconds(value) : formats.number(value, 1);
}

function echartsOptionOf(
  { kind, labels, series, unit, least, most, quarters }: Chart,
  formats: ReportFormats,
): Record<string, unknown> {
  const line = { lineStyle: { color: 'var(--rule)' } };
  return {
    animation: false,
    color: COLORS,
    textStyle: TEXT,
    grid: {
      left: 4,
      right: 14,
      top: series.length > 1 ? 34 : 14,
      bottom: 4,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    ...(series.length > 1 && { legend: { top: 0, left: 0, itemWidth: 14, textStyle: TEXT, selectedMode: false } }),
    xAxis: {
      type: 'category',
      data: labels,
      axisLine: line,
      axisTick: { show: false },
      axisLabel: { ...TEXT, hideOverlap: true },
    },
    yAxis: {
      type: 'value',
      min: least,
      max: most,
      splitNumber: 4,
      ...(quarters && { interval: ((most ?? 0) - (least ?? 0)) / 4 }),
      ...(series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value))) && {
        minInterval: 1,
      }),
      splitLine: line,
      axisLabel: { ...TEXT, formatter: (value: number) => unitText(value, unit, formats) },
    },
    series: series.map(({ name, values }, at) => ({
      name,
      data: values.map((value) => value ?? '-'),
      silent: true,
      ...(kind === 'bars'
        ? { type: 'bar', barMaxWidth: 36, barCategoryGap: '25%', itemStyle: { borderRadius: [2, 2, 0, 0] } }
        : {
            type: 'line',
            symbol: values.length > 40 ? 'none' : 'circle',
            symbolSize: 5,
            connectNulls: true,
            lineStyle: { width: 2, color: COLORS[at] },
          }),
    })),
  };
}
