import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Formats } from '../settings/index.ts';
import type { Chart } from './page.ts';

use([BarChart, LineChart, GridComponent, LegendComponent, SVGRenderer]);

/** Of a chart on a desk and on paper, and of one on a phone: shrunk to a phone its letters could not be read. */
export const WIDE = { width: 680, height: 210 };
export const NARROW = { width: 330, height: 200 };

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
const TEXT = { color: 'var(--pale)', fontFamily: FONT, fontSize: 12 };
/** Custom properties of the style sheet: they differ by night. */
const COLORS = ['var(--chart)', 'var(--chart-too)'];

/** A chart as SVG: shapes and texts alone, without a script, a style sheet or anything that would be loaded. */
export function draw(chart: Chart, size: { width: number; height: number }, formats: Formats): string {
  const canvas = init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    canvas.setOption(optionOf(chart, formats));
    return withoutExtras(canvas.renderToSVGString());
  } finally {
    canvas.dispose();
  }
}

/** What serves a pointer on a screen where scripts run; texts in it are escaped, so that none of it is a tag. */
const withoutExtras = (svg: string): string =>
  svg
    .replace(/<style\b[^>]*>[\s\S]*?<\/style>/g, '')
    .replace(/ (?:class|ecmeta_\w+|pointer-events|xmlns:xlink|baseProfile|version)="[^"]*"/g, '')
    .replace(/^<svg width="\d+" height="\d+"/, '<svg aria-hidden="true"');

function optionOf(
  { kind, labels, series, unit, least, most, quarters }: Chart,
  formats: Formats,
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
      axisLabel: { ...TEXT, formatter: (value: number) => `${formats.number(value, 1)}${unit}` },
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
