// Tuning files: any text is a list of preferences or an error that names the line.
#include "fuzz/target.h"

#include "base/error.h"
#include "coll/preference.h"

namespace xcoll::fuzz {

void feed(std::string_view input) {
    try {
        for (const Preference &preference : parse_tuning(input, "file")) {
            must(preference.row != nullptr, "a line names an algorithm");
            must(find_algorithm(preference.kind, preference.row->name) == preference.row,
                 "it is one of the collective");
            for (const Range &range : {preference.bytes, preference.ranks, preference.groups}) {
                must(range.first <= range.last, "a range holds something");
            }
        }
    } catch (const Failure &failure) {
        must(failure.result() == XCOLL_ERR_CONFIG, "a bad file is an error of the configuration");
        must(failure.message().starts_with("line ") && failure.message().find(" of file") != std::string::npos,
             "the error names the line");
    }
}

std::vector<std::string> seeds() {
    return {"",
            "# nothing\n\n",
            "allreduce bytes 64K.. ranks 2..8 groups 1 local -> two_shot\n",
            "allreduce network -> ring # slow\r\nbcast bytes ..16 -> tree\n",
            "barrier -> dissemination",
            "allreduce bytes 18446744073709551615..18446744073709551615 -> ring\n",
            "allreduce bytes 17179869184G -> ring\n",
            "allreduce bytes 5..3 -> ring",
            "allreduce bytes .. -> ring",
            "allreduce bytes",
            "->",
            "alltoallv local network ranks 7 -> direct"};
}

} // namespace xcoll::fuzz
