// Reading JSON: what the library tells about itself, and what a tool wrote earlier.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace xcoll::tools {

class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>; // in the order of the text
    using Value = std::variant<std::nullptr_t, bool, double, std::string, Array, Object>;

    Json() = default;
    explicit Json(Value value) : value_(std::move(value)) {
    }
    // Throws Mistake with the place of what is wrong.
    static Json parse(std::string_view text);

    bool is_null() const {
        return std::holds_alternative<std::nullptr_t>(value_);
    }
    bool truth() const {
        return as<bool>();
    }
    double number() const {
        return as<double>();
    }
    const std::string &text() const {
        return as<std::string>();
    }
    const Array &items() const {
        return as<Array>();
    }
    const Object &members() const {
        return as<Object>();
    }
    // null if there is no such member.
    const Json &operator[](std::string_view name) const;

private:
    template <class T> static inline const T nothing{};

    // Of another kind: an empty value, as of a library that does not know the member yet.
    template <class T> const T &as() const {
        const T *value = std::get_if<T>(&value_);
        return value ? *value : nothing<T>;
    }

    Value value_;
};

} // namespace xcoll::tools
