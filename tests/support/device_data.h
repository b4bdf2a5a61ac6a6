// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QString>
#include <QtTest>

#include <cstddef>
#include <string>
#include <vector>

namespace assay::tests {

/// The bytes of a file under tests/kernels/device/data; an absent file is an empty answer.
inline std::vector<std::byte> deviceData(const QString& name)
{
    QFile file(QStringLiteral(ASSAY_SOURCE_DIR "/tests/kernels/device/data/") + name);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.constData());
    return {begin, begin + bytes.size()};
}

inline std::string deviceText(const QString& name)
{
    const auto bytes = deviceData(name);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace assay::tests
