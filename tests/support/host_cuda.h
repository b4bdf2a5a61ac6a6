// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <ucontext.h>
#include <utility>
#include <vector>

/// Runs CUDA C++ on the host, so that device code is tested where there is no device: each thread of a block is a fiber, which
/// gives way at barriers and where a warp exchanges values. One block at a time, in order. Slow and exact; it finds wrong
/// arithmetic, wrong indices and missing barriers that change a result here, not every race.
namespace assay::tests::cuda {

struct Dim {
    unsigned x = 1;
};
inline Dim threadIdx{0}, blockIdx{0}, blockDim, gridDim;

/// The block that is running.
class Block {
public:
    static Block& current()
    {
        static Block block;
        return block;
    }

    /// @throws std::logic_error  where some threads wait for others that have ended or wait elsewhere
    void run(unsigned threads, const std::function<void()>& body)
    {
        while (m_fibers.size() < threads)
            m_fibers.push_back(std::make_unique<Fiber>());
        m_body = &body;
        for (unsigned t = 0; t < threads; ++t)
            m_fibers[t]->state = State::Ready;
        for (bool alive = true; alive;) {
            bool moved = false;
            alive = false;
            // One warp runs as far as it can before the next: what a missing barrier lets it overtake shows.
            for (unsigned warp = 0; warp * 32 < threads; ++warp) {
                while (advance(warp * 32, std::min(threads, warp * 32 + 32)))
                    moved = true;
            }
            moved |= releaseIfAll(State::AtBlock, 0, threads);
            for (unsigned t = 0; t < threads; ++t)
                alive |= m_fibers[t]->state != State::Ended;
            if (alive && !moved)
                throw std::logic_error("threads of a block wait for each other at different places");
        }
    }

    void barrier() { wait(State::AtBlock); }

    /// Hands @p value to the warp. @return what every lane handed over; valid until the exchange after the next
    const std::array<std::uint64_t, 32>& exchange(std::uint64_t value)
    {
        Fiber& fiber = *m_fibers[m_running];
        auto& slots = m_slots[m_running / 32][fiber.turn++ % 2];
        slots[m_running % 32] = value;
        wait(State::AtWarp);
        return slots;
    }

private:
    enum class State { Ready, AtWarp, AtBlock, Ended };
    static constexpr std::size_t kStackBytes = 64 * 1024;
    struct Fiber {
        ucontext_t context{};
        jmp_buf place{};
        bool entered = false;
        std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStackBytes);
        State state = State::Ready;
        unsigned turn = 0;
    };

    /// Jumps are used after the first entry, because a switch of contexts asks the system for the signal mask each time.
    void resume(unsigned thread)
    {
        Fiber& fiber = *m_fibers[thread];
        m_running = thread;
        threadIdx.x = thread;
        if (_setjmp(m_scheduler) != 0)
            return;
        if (fiber.entered)
            _longjmp(fiber.place, 1);
        fiber.entered = true;
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = kStackBytes;
        makecontext(&fiber.context, &Block::live, 0);
        setcontext(&fiber.context);
    }

    /// A fiber runs one thread after another and never returns.
    static void live()
    {
        for (;;) {
            Block& block = current();
            (*block.m_body)();
            block.wait(State::Ended);
        }
    }

    /// Runs the threads of a warp up to where they wait for each other or for the block. @return whether any could
    bool advance(unsigned first, unsigned end)
    {
        bool moved = false;
        for (unsigned t = first; t < end; ++t) {
            if (m_fibers[t]->state != State::Ready)
                continue;
            resume(t);
            moved = true;
        }
        return releaseIfAll(State::AtWarp, first, end) || moved;
    }

    void wait(State state)
    {
        Fiber& fiber = *m_fibers[m_running];
        fiber.state = state;
        if (_setjmp(fiber.place) == 0)
            _longjmp(m_scheduler, 1);
    }

    bool releaseIfAll(State state, unsigned first, unsigned end)
    {
        bool any = false;
        for (unsigned t = first; t < end; ++t) {
            if (m_fibers[t]->state != state && m_fibers[t]->state != State::Ended)
                return false;
            any |= m_fibers[t]->state == state;
        }
        for (unsigned t = first; any && t < end; ++t) {
            if (m_fibers[t]->state == state)
                m_fibers[t]->state = State::Ready;
        }
        return any;
    }

    std::vector<std::unique_ptr<Fiber>> m_fibers;
    jmp_buf m_scheduler{};
    const std::function<void()>* m_body = nullptr;
    unsigned m_running = 0;
    std::array<std::array<std::array<std::uint64_t, 32>, 2>, 32> m_slots{};
};

template <typename T> std::uint64_t bitsOf(T value)
{
    if constexpr (sizeof(T) == 8)
        return std::bit_cast<std::uint64_t>(value);
    else
        return std::bit_cast<std::uint32_t>(value);
}

template <typename T> T fromBits(std::uint64_t bits)
{
    if constexpr (sizeof(T) == 8)
        return std::bit_cast<T>(bits);
    else
        return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
}

inline void __syncthreads()
{
    Block::current().barrier();
}

inline void __threadfence() { }

template <typename T> T __shfl_sync(unsigned, T value, int lane)
{
    return fromBits<T>(Block::current().exchange(bitsOf(value))[static_cast<unsigned>(lane)]);
}

template <typename T> T __shfl_xor_sync(unsigned, T value, int mask)
{
    const unsigned lane = (threadIdx.x % 32) ^ static_cast<unsigned>(mask);
    return fromBits<T>(Block::current().exchange(bitsOf(value))[lane]);
}

template <typename T> T __shfl_up_sync(unsigned, T value, int by)
{
    const int lane = static_cast<int>(threadIdx.x % 32);
    const T other = fromBits<T>(Block::current().exchange(bitsOf(value))[static_cast<unsigned>(lane < by ? lane : lane - by)]);
    return other;
}

inline unsigned __ballot_sync(unsigned, bool vote)
{
    const auto& votes = Block::current().exchange(vote);
    unsigned mask = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        mask |= static_cast<unsigned>(votes[lane] & 1) << lane;
    return mask;
}

inline bool __any_sync(unsigned mask, bool vote)
{
    return __ballot_sync(mask, vote) != 0;
}

template <typename T> T atomicAdd(T* at, T value)
{
    return std::exchange(*at, static_cast<T>(*at + value));
}

template <typename T> T atomicMax(T* at, T value)
{
    return std::exchange(*at, std::max(*at, value));
}

inline double __longlong_as_double(long long bits)
{
    return std::bit_cast<double>(bits);
}

inline long long __double_as_longlong(double value)
{
    return std::bit_cast<long long>(value);
}

inline int __double2hiint(double value)
{
    return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 32);
}

inline float __uint_as_float(unsigned bits)
{
    return std::bit_cast<float>(bits);
}

/// Product rounded down. Built with -frounding-math, else the compiler takes it for the ordinary one.
inline double __dmul_rd(double a, double b)
{
    std::fesetround(FE_DOWNWARD);
    volatile double x = a;
    volatile double product = x * b;
    std::fesetround(FE_TONEAREST);
    return product;
}

inline std::size_t __cvta_generic_to_shared(const void* pointer)
{
    return reinterpret_cast<std::size_t>(pointer);
}

inline int __popc(unsigned bits)
{
    return std::popcount(bits);
}

inline int __clzll(long long bits)
{
    return std::countl_zero(static_cast<unsigned long long>(bits));
}

/// Calls @p kernel for every thread of every block with the parameters that @p arguments points to, as cuLaunchKernel takes them.
template <typename... Parameters> void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, void** arguments)
{
    const auto call = [&]<std::size_t... I>(std::index_sequence<I...>)
    {
        const std::function<void()> body = [&] { kernel(*static_cast<Parameters*>(arguments[I])...); };
        blockDim.x = threads;
        gridDim.x = blocks;
        for (unsigned b = 0; b < blocks; ++b) {
            blockIdx.x = b;
            Block::current().run(threads, body);
        }
    };
    call(std::index_sequence_for<Parameters...>());
}

} // namespace assay::tests::cuda
