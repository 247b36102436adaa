#include "tools/xcoll-perf/plot.h"

#include <algorithm>

#include "tools/shared/text.h"
#include "tools/xcoll-perf/axis.h"

namespace xcoll::perf {

using tools::format;

namespace {

// Pixels.
constexpr double panel_width = 460, panel_height = 300, left = 64, right = 16, top = 30, bottom = 44;
constexpr double margin = 16, heading = 54, legend_line = 20, sample_length = 26;
constexpr size_t panels_beside = 2;

// Told apart by people who see few colours, on light and on dark ground; what comes behind them is dashed.
constexpr struct {
    const char *light, *dark;
} colours[] = {{"#0f6cbd", "#62abf5"}, {"#c2571a", "#f0925a"}, {"#4b8b3b", "#86c97a"}, {"#7a5195", "#c39be0"},
               {"#b3447a", "#f08ab8"}, {"#8a6d00", "#d9b832"}, {"#00808a", "#4fc9d3"}, {"#5c6670", "#aeb8c2"}};

struct Curve {
    std::string operation, name;
    bool is_earlier;
    std::vector<const Record *> points;
};

std::string styles() {
    constexpr const char *ground = ".paper{fill:%s}text{fill:%s}.soft{fill:%s}.grid{stroke:%s}\n";
    std::string light = format(ground, "#ffffff", "#1b1f24", "#5c6670", "#dde1e6");
    std::string dark = format(ground, "#14171b", "#eceff2", "#9aa4ae", "#2f353c");
    for (size_t i = 0; i < std::size(colours); ++i) {
        constexpr const char *colour = ".c%zu{stroke:%s}.p%zu{fill:%s}\n";
        light += format(colour, i, colours[i].light, i, colours[i].light);
        dark += format(colour, i, colours[i].dark, i, colours[i].dark);
    }
    return "<style>\n" + light + ".curve{fill:none;stroke-width:2;stroke-linejoin:round}\n" +
           "@media (prefers-color-scheme: dark){\n" + dark + "}\n</style>\n";
}

std::string text(double x, double y, const std::string &words, const char *more = "") {
    std::string escaped;
    for (const char c : words) {
        escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return format("<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", x, y, more, escaped.c_str());
}

std::string line(double x1, double y1, double x2, double y2, const std::string &look) {
    return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, look.c_str());
}

constexpr std::string Record::*settings[] = {&Record::form,  &Record::loop,   &Record::place,    &Record::buffers,
                                             &Record::dtype, &Record::reduce, &Record::placement};

class Picture {
public:
    Picture(const std::vector<Record> &records, const std::vector<Record> &earlier, const std::string &name_of_earlier);
    std::string draw() const;

private:
    void add(const Record &record, bool is_earlier);
    std::string name_of(const Record &record, const Record &first) const;
    size_t number_of(const std::string &name) const;
    std::string look(const Curve &curve) const;
    std::string panel(size_t number) const;
    std::string curve(const Curve &curve, const Axis &across, const Axis &up) const;
    std::string legend(double y) const;
    size_t rows() const {
        return (operations_.size() + panels_beside - 1) / panels_beside;
    }

    const std::vector<Record> &records_;
    std::string name_of_earlier_;
    std::vector<std::string> operations_, names_; // names: of curves, by what differs between them
    std::vector<Curve> curves_;
};

Picture::Picture(const std::vector<Record> &records, const std::vector<Record> &earlier,
                 const std::string &name_of_earlier)
    : records_(records), name_of_earlier_(name_of_earlier) {
    const auto add_new = [](std::vector<std::string> &list, const std::string &item) {
        if (std::find(list.begin(), list.end(), item) == list.end()) {
            list.push_back(item);
        }
    };
    for (const Record &record : records) {
        add_new(operations_, record.op);
        add_new(names_, name_of(record, records[0]));
        add(record, false);
    }
    for (const Record &record : earlier) {
        // Only what has a counterpart, so that the picture stays one of these results.
        if (number_of(name_of(record, records[0])) < names_.size() &&
            std::find(operations_.begin(), operations_.end(), record.op) != operations_.end()) {
            add(record, true);
        }
    }
}

// By those settings that are not the same in all lines. That only some operations reduce tells nothing.
std::string Picture::name_of(const Record &record, const Record &first) const {
    std::string name;
    for (const auto setting : settings) {
        const bool differs = std::any_of(records_.begin(), records_.end(),
                                         [&](const Record &other) { return other.*setting != first.*setting; });
        if (differs && setting != &Record::reduce) {
            tools::add_item(name, ", ", record.*setting);
        }
    }
    return name;
}

size_t Picture::number_of(const std::string &name) const {
    return static_cast<size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
}

void Picture::add(const Record &record, bool is_earlier) {
    if (!(record.median > 0)) {
        return; // an honest loop may find less than nothing, which has no logarithm
    }
    const std::string name = name_of(record, records_[0]);
    const auto found = std::find_if(curves_.begin(), curves_.end(), [&](const Curve &curve) {
        return curve.operation == record.op && curve.name == name && curve.is_earlier == is_earlier;
    });
    Curve &curve = found == curves_.end()
                       ? curves_.emplace_back(Curve{record.op, name, is_earlier, std::vector<const Record *>{}})
                       : *found;
    curve.points.push_back(&record);
}

std::string Picture::look(const Curve &curve) const {
    const size_t number = number_of(curve.name);
    const char *dashes = curve.is_earlier ? " stroke-dasharray=\"2 4\"" : "";
    if (!curve.is_earlier && number >= std::size(colours)) {
        dashes = " stroke-dasharray=\"8 4\"";
    }
    return format("class=\"curve c%zu\"%s", number % std::size(colours), dashes);
}

std::string Picture::curve(const Curve &curve, const Axis &across, const Axis &up) const {
    std::string path, points;
    for (const Record *record : curve.points) {
        const double x = across(record->bytes), y = up(record->median);
        path += format("%s%.1f %.1f", path.empty() ? "M" : "L", x, y);
        points += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" class=\"p%zu\"/>\n", x, y,
                         curve.is_earlier ? "1.5" : "3", number_of(curve.name) % std::size(colours));
    }
    return format("<path d=\"%s\" %s/>\n", path.c_str(), look(curve).c_str()) + points;
}

std::string Picture::panel(size_t number) const {
    const std::string &operation = operations_[number];
    const size_t column = number % panels_beside, row = number / panels_beside;
    const double x = margin + static_cast<double>(column) * panel_width + left;
    const double y = heading + static_cast<double>(row) * panel_height + top;
    std::vector<double> sizes, times;
    for (const Curve &curve : curves_) {
        for (const Record *record : curve.points) {
            if (curve.operation == operation) {
                sizes.push_back(record->bytes);
                times.push_back(record->median);
            }
        }
    }
    const Axis across(sizes, x, x + panel_width - left - right), up(times, y + panel_height - top - bottom, y);
    std::string out = text(x, y - 10, operation, " font-weight=\"600\"");
    for (const Axis::Tick &tick : across.ticks_of_bytes()) {
        const double at = across(tick.value);
        out += line(at, up.start, at, up.end, "class=\"grid\"") +
               text(at, up.start + 16, tick.label, " class=\"soft\" text-anchor=\"middle\"");
    }
    for (const Axis::Tick &tick : up.ticks_of_microseconds()) {
        const double at = up(tick.value);
        out += line(across.start, at, across.end, at, "class=\"grid\"") +
               text(across.start - 8, at + 4, tick.label, " class=\"soft\" text-anchor=\"end\"");
    }
    out += text((across.start + across.end) / 2, up.start + 34, "bytes", " class=\"soft\" text-anchor=\"middle\"");
    for (const Curve &each : curves_) {
        out += each.operation == operation ? curve(each, across, up) : "";
    }
    return out;
}

// A line for each look, not for each curve: the panels share them.
std::string Picture::legend(double y) const {
    std::string out;
    std::vector<std::string> shown;
    for (const Curve &each : curves_) {
        std::string label = each.name;
        if (!name_of_earlier_.empty()) {
            tools::add_item(label, ", ", each.is_earlier ? name_of_earlier_ : "now");
        }
        if (label.empty() || std::find(shown.begin(), shown.end(), label) != shown.end()) {
            continue;
        }
        shown.push_back(label);
        out += line(margin + left, y - 4, margin + left + sample_length, y - 4, look(each)) +
               text(margin + left + sample_length + 8, y, label);
        y += legend_line;
    }
    return out;
}

std::string Picture::draw() const {
    const double legend_top = heading + static_cast<double>(rows()) * panel_height + legend_line;
    const double beside = static_cast<double>(std::min(operations_.size(), panels_beside));
    const double width = 2 * margin + beside * panel_width;
    const double height = legend_top + static_cast<double>(2 * names_.size()) * legend_line;
    std::string title = format("Median time of a call, %.0f ranks", records_[0].ranks);
    for (const auto setting : settings) {
        const bool is_everywhere = std::all_of(records_.begin(), records_.end(), [&](const Record &record) {
            return record.*setting == records_[0].*setting;
        });
        if (is_everywhere && !(records_[0].*setting).empty()) {
            tools::add_item(title, ", ", records_[0].*setting);
        }
    }
    std::string out = format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
                             "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\">\n",
                             width, height, width, height);
    out += "<title>xcoll-perf</title>\n" + styles() + "<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n";
    out += text(margin, 32, title, " font-size=\"15\" font-weight=\"600\"");
    for (size_t number = 0; number < operations_.size(); ++number) {
        out += panel(number);
    }
    return out + legend(legend_top) + "</svg>\n";
}

} // namespace

std::string draw(const std::vector<Record> &records, const std::vector<Record> &earlier,
                 const std::string &name_of_earlier) {
    return Picture(records, earlier, name_of_earlier).draw();
}

} // namespace xcoll::perf
