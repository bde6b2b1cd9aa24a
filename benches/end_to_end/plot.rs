//! Growth, as a picture: one small chart for each operation, time against the
//! number of entities, both axes logarithmic. Written by hand as SVG: the same
//! figures give the same bytes, and no font has to be measured.

use std::fmt::Write as _;

use crate::figures::{Figures, Operation};
use crate::report::grouped;
use crate::{LIMIT, LIMIT_FSYNC, OURS, OURS_NEVER};

const CHARTS: [Operation; 9] = [
    Operation::Start,
    Operation::ReadGraph,
    Operation::Search,
    Operation::CreateEntity,
    Operation::AddObservation,
    Operation::CreateRelation,
    Operation::Open,
    Operation::NoChange,
    Operation::PeakAfter,
];

const COLUMNS: usize = 3;
const CHART_WIDTH: f64 = 300.0;
const CHART_HEIGHT: f64 = 210.0;
/// Room in each chart for its title above, the numbers below and at the left.
const ABOVE: f64 = 30.0;
const BELOW: f64 = 26.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const LEGEND_HEIGHT: f64 = 40.0;

/// Colour and dashes of what is not ours, in the order given.
const OTHERS: [(&str, &str); 4] = [
    ("#d9480f", ""),
    ("#7048e8", ""),
    ("#2b8a3e", ""),
    ("#a61e4d", ""),
];

struct Line<'a> {
    who: &'a str,
    color: &'a str,
    dashes: &'a str,
}

/// The picture of a run over these sizes.
pub fn svg(figures: &Figures, sizes: &[usize], others: &[String]) -> String {
    let mut lines = vec![
        Line {
            who: LIMIT,
            color: "#868e96",
            dashes: "2 3",
        },
        Line {
            who: LIMIT_FSYNC,
            color: "#495057",
            dashes: "6 3",
        },
    ];
    for (other, (color, dashes)) in others.iter().zip(OTHERS) {
        lines.push(Line {
            who: other,
            color,
            dashes,
        });
    }
    // Ours are drawn last, over the others.
    lines.push(Line {
        who: OURS_NEVER,
        color: "#4dabf7",
        dashes: "",
    });
    lines.push(Line {
        who: OURS,
        color: "#1864ab",
        dashes: "",
    });

    let rows = CHARTS.len().div_ceil(COLUMNS);
    let width = CHART_WIDTH * COLUMNS as f64;
    let height = LEGEND_HEIGHT + CHART_HEIGHT * rows as f64;
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif" font-size="11">
<title>Time and memory against the number of entities</title>
<rect width="{width}" height="{height}" fill="#ffffff"/>
"##
    );
    legend(&mut svg, &lines);
    let times = range(figures, CHARTS.iter().copied().filter(|it| !it.is_memory()));
    for (number, operation) in CHARTS.into_iter().enumerate() {
        let chart = Chart {
            left: (number % COLUMNS) as f64 * CHART_WIDTH + LEFT,
            top: LEGEND_HEIGHT + (number / COLUMNS) as f64 * CHART_HEIGHT + ABOVE,
            sizes: (sizes[0] as f64, sizes[sizes.len() - 1] as f64),
            // All times share one scale, so that the charts can be compared.
            values: if operation.is_memory() {
                range(figures, [operation])
            } else {
                times
            },
        };
        chart.frame(&mut svg, operation, sizes);
        for line in &lines {
            chart.line(&mut svg, figures, operation, sizes, line);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn legend(svg: &mut String, lines: &[Line]) {
    let mut x = LEFT;
    for line in lines.iter().rev() {
        let (end, text) = (x + 24.0, x + 30.0);
        write(
            svg,
            format_args!(
                r#"<line x1="{x}" y1="22" x2="{end}" y2="22" stroke="{}" stroke-width="2" stroke-dasharray="{}"/><text x="{text}" y="26">{}</text>"#,
                line.color,
                line.dashes,
                escaped(line.who),
            ),
        );
        x = text + line.who.len() as f64 * 6.2 + 20.0;
    }
}

/// The powers of ten around all figures of these operations.
fn range(figures: &Figures, operations: impl IntoIterator<Item = Operation>) -> (f64, f64) {
    let operations: Vec<Operation> = operations.into_iter().collect();
    let medians = figures
        .iter()
        .filter(|figure| operations.contains(&figure.operation))
        .map(|figure| figure.median().log10());
    let (least, most) = medians.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), it| {
        (least.min(it), most.max(it))
    });
    (10_f64.powf(least.floor()), 10_f64.powf(most.ceil()))
}

struct Chart {
    left: f64,
    top: f64,
    sizes: (f64, f64),
    values: (f64, f64),
}

impl Chart {
    const WIDTH: f64 = CHART_WIDTH - LEFT - RIGHT;
    const HEIGHT: f64 = CHART_HEIGHT - ABOVE - BELOW;

    fn frame(&self, svg: &mut String, operation: Operation, sizes: &[usize]) {
        let (left, top) = (self.left, self.top);
        let (right, bottom) = (left + Chart::WIDTH, top + Chart::HEIGHT);
        let title_y = top - 9.0;
        write(
            svg,
            format_args!(
                r#"<text x="{left}" y="{title_y}" font-size="13" font-weight="bold">{}</text>"#,
                operation.title()
            ),
        );
        let decades = (self.values.1 / self.values.0).log10().round() as i32;
        for decade in 0..=decades {
            let value = self.values.0 * 10_f64.powi(decade);
            let y = self.y(value);
            let (text_x, text_y) = (left - 6.0, y + 4.0);
            write(
                svg,
                format_args!(
                    r##"<line x1="{left}" y1="{y:.1}" x2="{right:.1}" y2="{y:.1}" stroke="#e9ecef"/><text x="{text_x}" y="{text_y:.1}" text-anchor="end" fill="#495057">{}</text>"##,
                    unit(operation, value)
                ),
            );
        }
        for &size in sizes {
            let x = self.x(size);
            let text_y = bottom + 15.0;
            write(
                svg,
                format_args!(
                    r##"<line x1="{x:.1}" y1="{top}" x2="{x:.1}" y2="{bottom:.1}" stroke="#e9ecef"/>"##
                ),
            );
            // The numbers of sizes between the powers of ten would overlap.
            if size
                .to_string()
                .trim_start_matches('1')
                .trim_matches('0')
                .is_empty()
            {
                write(
                    svg,
                    format_args!(
                        r##"<text x="{x:.1}" y="{text_y:.1}" text-anchor="middle" fill="#495057">{}</text>"##,
                        grouped(size)
                    ),
                );
            }
        }
    }

    fn line(
        &self,
        svg: &mut String,
        figures: &Figures,
        operation: Operation,
        sizes: &[usize],
        line: &Line,
    ) {
        let points: Vec<(f64, f64)> = sizes
            .iter()
            .filter_map(|&size| {
                let median = figures.median(size, line.who, operation)?;
                Some((self.x(size), self.y(median)))
            })
            .collect();
        if points.is_empty() {
            return;
        }
        let path: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        write(
            svg,
            format_args!(
                r#"<polyline points="{}" fill="none" stroke="{}" stroke-width="2" stroke-dasharray="{}"/>"#,
                path.join(" "),
                line.color,
                line.dashes
            ),
        );
        for (x, y) in points {
            write(
                svg,
                format_args!(
                    r#"<circle cx="{x:.1}" cy="{y:.1}" r="2.5" fill="{}"/>"#,
                    line.color
                ),
            );
        }
    }

    fn x(&self, size: usize) -> f64 {
        self.left + Chart::WIDTH * place(size as f64, self.sizes)
    }

    fn y(&self, value: f64) -> f64 {
        self.top + Chart::HEIGHT * (1.0 - place(value, self.values))
    }
}

/// Where between the ends a value is on a logarithmic scale, 0 to 1.
fn place(value: f64, (least, most): (f64, f64)) -> f64 {
    if most <= least {
        return 0.5;
    }
    (value / least).log10() / (most / least).log10()
}

fn unit(operation: Operation, value: f64) -> String {
    // Powers of ten, which the shortest form shows as they are meant.
    let short = |value: f64| format!("{}", (value * 1e6).round() / 1e6);
    if operation.is_memory() {
        format!("{} MB", short(value / 1e6))
    } else if value < 0.999 {
        format!("{} µs", short(value * 1e3))
    } else if value < 999.0 {
        format!("{} ms", short(value))
    } else {
        format!("{} s", short(value / 1e3))
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn write(svg: &mut String, what: std::fmt::Arguments<'_>) {
    writeln!(svg, "{what}").expect("a String takes everything");
}
