// Draws the charts that the page's data describes; needs Chart.js before it. Sets data-charts on the body to the number
// of charts that stand, and data-error to what went wrong.
(function () {
  'use strict';
  window.addEventListener('error', function (e) { document.body.dataset.error = e.message; });

  var charts = JSON.parse(document.getElementById('charts').textContent);
  var drawn = [];

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

  function digits(value) {
    if (value === 0) return '0';
    var size = Math.abs(value);
    return value.toLocaleString('en', { maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.01 ? 2 : 5 });
  }

  function quantity(value, unit) {
    if (unit === 'ms') {
      if (value < 1) return digits(value * 1000) + ' µs';
      return value < 1000 ? digits(value) + ' ms' : digits(value / 1000) + ' s';
    }
    return digits(value) + (unit ? (unit === '/s' ? '' : ' ') + unit : '');
  }

  // x of a percentile chart is 1 / (1 - p), as HdrHistogram's plots have it
  function percentile(x) {
    var p = 100 - 100 / x;
    return (Math.round(p * 1e6) / 1e6) + ' %';
  }

  // 1, 2, 5, 10 and so on
  function isRound(value) {
    var lead = value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
    return [1, 2, 5].some(function (n) { return Math.abs(lead - n) < 1e-6; });
  }

  function ticks(axis) {
    return function (value, index, all) {
      if (axis.percentiles) {
        var power = Math.log10(value);
        return Math.abs(power - Math.round(power)) < 1e-6 ? percentile(value) : null;
      }
      if (axis.log) {
        if (axis.values) return axis.values.indexOf(value) >= 0 ? digits(value) : null;
        // within a decade there are too few round ones to read a value by
        var few = all.filter(function (t) { return isRound(t.value); }).length < 3;
        return few || isRound(value) ? quantity(value, axis.unit) : null;
      }
      return quantity(value, axis.unit);
    };
  }

  function scale(axis, position) {
    var made = {
      type: axis.log || axis.percentiles ? 'logarithmic' : 'linear',
      title: { display: true, text: axis.title, color: colour('--soft') },
      ticks: { color: colour('--soft'), callback: ticks(axis), maxRotation: 0, autoSkip: !axis.values },
      grid: { color: colour('--grid'), drawOnChartArea: position !== 'right' },
      border: { color: colour('--line') }
    };
    if (position) made.position = position;
    if (!axis.log && !axis.percentiles) made.beginAtZero = true;
    if (axis.min !== undefined && axis.min !== null) made.min = axis.min;
    if (axis.max !== undefined && axis.max !== null) made.max = axis.max;
    // the first, the last, and as many of the others as there is room for, on a logarithmic axis
    if (axis.values) made.afterBuildTicks = function (s) {
      var decade = (s.chart.width - 120) / Math.max(0.1, Math.log10(s.max / s.min));
      function apart(a, b) { return Math.log10(b / a) * decade >= 8 + 7 * digits(b).length; }
      var those = axis.values.filter(function (v) { return v >= s.min && v <= s.max; });
      var end = those[those.length - 1];
      var kept = [];
      those.forEach(function (v) {
        if (v === end || !kept.length || apart(kept[kept.length - 1], v) && apart(v, end)) kept.push(v);
      });
      s.ticks = kept.map(function (v) { return { value: v }; });
    };
    return made;
  }

  function datasets(chart) {
    return chart.series.map(function (series, i) {
      var own = colour('--s' + (i % 8));
      return {
        label: series.name,
        data: chart.bars ? series.points.map(function (p) { return p[1]; })
                         : series.points.map(function (p) { return { x: p[0], y: p[1] }; }),
        borderColor: own,
        backgroundColor: chart.bars ? own : own + '33',
        borderWidth: chart.bars ? 0 : 1.8,
        borderDash: series.dashed ? [5, 4] : [],
        pointRadius: series.points.length > 40 ? 0 : 2.5,
        pointHitRadius: 8,
        stepped: chart.x.percentiles ? 'after' : false,
        yAxisID: series.right ? 'right' : 'y'
      };
    });
  }

  // whether there is anything to draw; what stands in its place where there is not
  function isEmpty(chart, canvas) {
    if (chart.series.some(function (series) { return series.points.length > 0; })) return false;
    canvas.parentNode.textContent = 'Nothing to show: there was no good response.';
    return true;
  }

  function draw(chart, canvas) {
    var scales = { y: scale(chart.y) };
    scales.x = chart.bars
      ? { type: 'category', ticks: { color: colour('--soft') }, grid: { display: false } }
      : scale(chart.x);
    if (chart.right) scales.right = scale(chart.right, 'right');
    return new Chart(canvas, {
      type: chart.bars ? 'bar' : 'line',
      data: { labels: chart.bars || undefined, datasets: datasets(chart) },
      options: {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        interaction: { mode: chart.bars ? 'index' : 'x', intersect: false },
        scales: scales,
        plugins: {
          legend: { position: 'bottom', labels: { color: colour('--ink'), boxWidth: 14, boxHeight: 2 } },
          tooltip: {
            callbacks: {
              title: function (items) {
                if (!items.length) return '';
                if (chart.bars) return items[0].label;
                var x = items[0].parsed.x;
                return chart.x.percentiles ? percentile(x) : quantity(x, chart.x.unit) + (chart.x.unit ? '' : ' ' + chart.x.title);
              },
              label: function (item) {
                var axis = item.dataset.yAxisID === 'right' ? chart.right : chart.y;
                return item.dataset.label + ': ' + quantity(item.parsed.y, axis.unit);
              }
            },
            // one line for each series, though several points lie under the pointer
            filter: function (item, index, all) {
              return all.findIndex(function (o) { return o.datasetIndex === item.datasetIndex; }) === index;
            }
          }
        }
      }
    });
  }

  function all() {
    drawn.forEach(function (chart) { chart.destroy(); });
    drawn = [];
    charts.forEach(function (chart, i) {
      var canvas = document.getElementById('chart' + i);
      if (canvas && !isEmpty(chart, canvas)) drawn.push(draw(chart, canvas));
    });
    document.body.dataset.charts = drawn.length;
  }

  all();
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', all);
})();
