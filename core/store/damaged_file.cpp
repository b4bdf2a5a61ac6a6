// SPDX-License-Identifier: Apache-2.0
// Offsets and types are those of https://sqlite.org/fileformat2.html, sections 1.3 (header), 1.6 (b-tree pages), 2.1 (records).
#include "core/store/damaged_file.h"

#include "core/store/database.h"
#include "core/store/schema.h"
#include "core/store/statement.h"
#include "core/store/table_list.h"

#include <SQLiteCpp/Exception.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

namespace assay::store {

namespace {

namespace fs = std::filesystem;
using Kind = DatabaseError::Kind;

constexpr std::size_t kFileHeader = 100;
constexpr unsigned char kInteriorTable = 0x05;
constexpr unsigned char kLeafTable = 0x0D;

/// Big-endian numbers of a page, with every access checked against its end.
class Bytes {
public:
    explicit Bytes(std::string_view data)
        : m_data(data)
    {
    }

    std::optional<std::uint32_t> number(std::size_t at, std::size_t size) const
    {
        if (at + size > m_data.size())
            return std::nullopt;
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < size; ++i)
            value = (value << 8) | static_cast<unsigned char>(m_data[at + i]);
        return value;
    }

    /// Reads a variable-length integer and moves @p at behind it.
    std::optional<std::uint64_t> varint(std::size_t& at) const
    {
        std::uint64_t value = 0;
        for (int i = 0; i < 9 && at < m_data.size(); ++i) {
            const auto byte = static_cast<unsigned char>(m_data[at++]);
            if (i == 8)
                return (value << 8) | byte;
            value = (value << 7) | (byte & 0x7F);
            if ((byte & 0x80) == 0)
                return value;
        }
        return std::nullopt;
    }

    std::string_view text(std::size_t at, std::size_t size) const
    {
        return at + size <= m_data.size() ? m_data.substr(at, size) : std::string_view();
    }

private:
    std::string_view m_data;
};

struct SchemaEntry {
    std::string type;
    std::string name;
    std::uint32_t root = 0;
};

/// Bytes that a value of serial type @p type takes.
std::size_t sizeOfSerial(std::uint64_t type)
{
    static constexpr std::size_t kFixed[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < 12 ? kFixed[type] : static_cast<std::size_t>((type - 12) / 2);
}

/// The first four columns of a row of sqlite_schema: type, name, tbl_name, rootpage. They always lie on the page itself.
std::optional<SchemaEntry> readEntry(const Bytes& page, std::size_t at)
{
    if (!page.varint(at) || !page.varint(at)) // payload size, rowid
        return std::nullopt;
    const std::size_t record = at;
    const auto headerBytes = page.varint(at);
    if (!headerBytes)
        return std::nullopt;
    std::uint64_t types[4] = {};
    for (std::uint64_t& type : types) {
        const auto serial = page.varint(at);
        if (!serial || *serial > 100000)
            return std::nullopt;
        type = *serial;
    }
    std::size_t value = record + static_cast<std::size_t>(*headerBytes);
    SchemaEntry entry;
    entry.type = page.text(value, sizeOfSerial(types[0]));
    value += sizeOfSerial(types[0]);
    entry.name = page.text(value, sizeOfSerial(types[1]));
    value += sizeOfSerial(types[1]) + sizeOfSerial(types[2]);
    if (types[3] == 9)
        entry.root = 1;
    else if (types[3] >= 1 && types[3] <= 4)
        entry.root = page.number(value, sizeOfSerial(types[3])).value_or(0);
    return entry;
}

std::string readFile(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::size_t pageSizeOf(const std::string& content)
{
    const std::uint32_t raw = Bytes(content).number(16, 2).value_or(0);
    return raw == 1 ? 65536 : raw;
}

/// Every entry of sqlite_schema that lies on a page which is still there.
std::vector<SchemaEntry> readSchema(const std::string& content)
{
    std::vector<SchemaEntry> entries;
    const std::size_t pageSize = pageSizeOf(content);
    if (pageSize < 512)
        return entries;
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> pending = {1};
    while (!pending.empty()) {
        const std::uint32_t number = pending.back();
        pending.pop_back();
        if (number == 0 || number * pageSize > content.size() || !seen.insert(number).second)
            continue;
        const Bytes page(std::string_view(content).substr((number - 1) * pageSize, pageSize));
        const std::size_t header = number == 1 ? kFileHeader : 0;
        const std::uint32_t type = page.number(header, 1).value_or(0);
        const std::uint32_t cells = page.number(header + 3, 2).value_or(0);
        const std::size_t pointers = header + (type == kInteriorTable ? 12 : 8);
        if (type == kInteriorTable)
            pending.push_back(page.number(header + 8, 4).value_or(0));
        for (std::uint32_t i = 0; i < cells && (type == kInteriorTable || type == kLeafTable); ++i) {
            const std::size_t cell = page.number(pointers + 2 * i, 2).value_or(static_cast<std::uint32_t>(pageSize));
            if (type == kInteriorTable)
                pending.push_back(page.number(cell, 4).value_or(0));
            else if (const auto entry = readEntry(page, cell))
                entries.push_back(*entry);
        }
    }
    return entries;
}

void put(std::string& bytes, std::size_t at, std::size_t size, std::uint32_t value)
{
    for (std::size_t i = 0; i < size; ++i)
        bytes[at + i] = static_cast<char>((value >> (8 * (size - 1 - i))) & 0xFF);
}

std::string varintBytes(std::uint64_t value)
{
    std::string bytes(1, static_cast<char>(value & 0x7F));
    for (value >>= 7; value != 0; value >>= 7)
        bytes.insert(bytes.begin(), static_cast<char>(0x80 | (value & 0x7F)));
    return bytes;
}

/// A row of sqlite_schema as a leaf cell with rowid 1.
std::string schemaCell(const std::string& table, std::uint32_t root, const std::string& sql)
{
    const auto textType = [](const std::string& text) { return varintBytes(13 + 2 * text.size()); };
    std::string types = textType("table") + textType(table) + textType(table) + varintBytes(4) + textType(sql);
    std::string rootBytes(4, '\0');
    put(rootBytes, 0, 4, root);
    const std::string record = varintBytes(types.size() + 1) + types + "table" + table + table + rootBytes + sql;
    return varintBytes(record.size()) + varintBytes(1) + record;
}

/// CREATE TABLE of every primary table, as a new database of this build has them.
std::map<std::string, std::string> createStatements()
{
    SQLite::Database fresh(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    fresh.exec(std::string(schemaSql()));
    std::map<std::string, std::string> statements;
    Statement query(fresh, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1");
    for (const std::string& table : primaryTables(fresh)) {
        if (query.text(1, table).step())
            statements[table] = query.textAt(0);
        query.reset();
    }
    return statements;
}

} // namespace

DamagedFile::DamagedFile(const fs::path& path)
    : m_source(path)
    , m_copy(m_folder.path() / "damaged.db")
    , m_statements(createStatements())
{
    if (!fs::exists(path))
        throw DatabaseError(Kind::NotFound, "no such database", path.string(), "Check the path");
    try {
        fs::copy_file(path, m_copy);
        if (fs::exists(besides(path, "-wal")))
            fs::copy_file(besides(path, "-wal"), besides(m_copy, "-wal"));
    } catch (const fs::filesystem_error& error) {
        const bool full = error.code() == std::errc::no_space_on_device;
        throw DatabaseError(full ? Kind::DiskFull : Kind::Io, "no private copy can be made: " + error.code().message(),
                            m_folder.path().string(), "Set SQLITE_TMPDIR to a folder with room for the database");
    }
    if (!openWhole())
        findRoots();
}

bool DamagedFile::openWhole()
{
    try {
        m_sqlite = std::make_unique<SQLite::Database>(m_copy.string(), SQLite::OPEN_READWRITE);
        // With a writable schema SQLite takes a file that is shorter than its header says for what it is.
        m_sqlite->exec("PRAGMA writable_schema = ON");
        for (const std::string& table : primaryTables(*m_sqlite)) {
            if (m_statements.contains(table))
                m_tables.push_back(table);
        }
        return !m_tables.empty();
    } catch (const SQLite::Exception&) {
        m_sqlite.reset(); // what is wrong shows when the pages are read one by one
        return false;
    }
}

void DamagedFile::findRoots()
{
    m_sqlite.reset();
    m_tables.clear();
    fs::remove(besides(m_copy, "-wal"));
    for (const SchemaEntry& entry : readSchema(readFile(m_copy))) {
        if (entry.type == "table" && entry.root > 1 && m_statements.contains(entry.name)
            && m_roots.emplace(entry.name, entry.root).second)
            m_tables.push_back(entry.name);
    }
    if (m_tables.empty())
        throw DatabaseError(Kind::Corrupt, "nothing in the file tells any more where its tables are", m_source.string(),
                            "Restore a copy");
}

SQLite::Database& DamagedFile::open(const std::string& table)
{
    if (!m_roots.empty()) {
        m_sqlite.reset();
        showOnly(table);
        m_sqlite = std::make_unique<SQLite::Database>(m_copy.string(), SQLite::OPEN_READWRITE);
        m_sqlite->exec("PRAGMA writable_schema = ON");
    }
    return *m_sqlite;
}

// The first page of the copy becomes a list with this one table on it.
void DamagedFile::showOnly(const std::string& table)
{
    std::fstream file(m_copy, std::ios::binary | std::ios::in | std::ios::out);
    std::string first(kFileHeader, '\0');
    file.read(first.data(), static_cast<std::streamsize>(first.size()));
    const std::size_t pageSize = pageSizeOf(first);
    const std::string cell = schemaCell(table, m_roots.at(table), m_statements.at(table));
    if (cell.size() + kFileHeader + 10 > pageSize - 35)
        throw DatabaseError(Kind::Corrupt, "table " + table + " cannot be reached: its definition does not fit on a page",
                            m_source.string(), "Restore a copy");
    first.resize(pageSize, '\0');
    first[18] = first[19] = 1;                                                       // no WAL
    put(first, 28, 4, static_cast<std::uint32_t>(fs::file_size(m_copy) / pageSize)); // pages
    put(first, 32, 4, 0);                                                            // no freelist
    put(first, 36, 4, 0);
    first.replace(92, 4, first.substr(24, 4)); // the page count is valid
    first[kFileHeader] = static_cast<char>(kLeafTable);
    put(first, kFileHeader + 3, 2, 1);
    put(first, kFileHeader + 5, 2, static_cast<std::uint32_t>(pageSize - cell.size()));
    put(first, kFileHeader + 8, 2, static_cast<std::uint32_t>(pageSize - cell.size()));
    first.replace(pageSize - cell.size(), cell.size(), cell);
    file.seekp(0);
    file.write(first.data(), static_cast<std::streamsize>(first.size()));
}

} // namespace assay::store
